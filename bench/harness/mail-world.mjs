// The sites of many companies, a name server that knows them, and the mail server for their mail; not counted for any side.
import { createServer } from 'node:http';
import { MailServer, NameServer } from '@quarry/test-servers';
import { serveCommands } from './child-process.mjs';

/** Six rounds, each of a hundred companies and of one: the content of a site is cached for half an hour. */
const COMPANIES = 606;
const companies = Array.from({ length: COMPANIES }, (_, i) => i);
const domainOf = (company) => `company${company}-bench.com`;
const exchangeOf = (company) => `mail${company}.bench-mail.com`;

await serveCommands(async () => {
  const site = createServer(({ url, headers }, response) => {
    const [domain] = headers.host.split(':');
    const body = `<title>Company</title><body><p>Pumps for breweries.</p><div>Grace Hopper <a href="mailto:grace.hopper@${domain}">Mail</a></div></body>`;
    response.writeHead(url === '/' ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(url === '/' ? `<html lang="en">${body}</html>` : '');
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address();
  const mail = await MailServer.start({
    recipient: (to) => (/^ada[a-j]+\.bench@/i.test(to) ? null : { code: 550, text: '5.1.1 Unknown' }),
  });
  const names = await NameServer.start(({ type, name }) => {
    const [, company] = /^company(\d+)-bench\.com$/.exec(name) ?? [];
    if (type === 'MX' && company) return [{ preference: 10, exchange: exchangeOf(company) }];
    return type === 'A' && (company || name.endsWith('.bench-mail.com')) ? ['127.0.0.1'] : [];
  });
  return {
    facts: {
      sites: companies.map((i) => `http://${domainOf(i)}:${port}`),
      env: {
        DNS_SERVERS: names.address,
        SMTP_PROBE_PORT: String(mail.port),
        FETCH_ALLOW_HOSTS: companies
          .flatMap((i) => [`${domainOf(i)}:${port}`, `${exchangeOf(i)}:${mail.port}`])
          .join(),
      },
    },
  };
});
