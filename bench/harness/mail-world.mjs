// A name server with the mail exchangers of many companies, and the mail server that they lead to; counts for nobody.
import { MailServer, NameServer } from '@quarry/test-servers';
import { serveCommands } from './child-process.mjs';

const COMPANIES = 100;
const exchangeOf = (company) => `mail${company}.bench-mail.com`;

await serveCommands(async () => {
  const mail = await MailServer.start({
    recipient: (to) => (/^ada\d+\.bench@/i.test(to) ? null : { code: 550, text: '5.1.1 Unknown' }),
  });
  const names = await NameServer.start(({ type, name }) => {
    const [, company] = /^company(\d+)-bench\.com$/.exec(name) ?? [];
    if (type === 'MX' && company) return [{ preference: 10, exchange: exchangeOf(company) }];
    return type === 'A' && name.endsWith('.bench-mail.com') ? ['127.0.0.1'] : [];
  });
  const companies = Array.from({ length: COMPANIES }, (_, i) => i);
  return {
    facts: {
      domains: companies.map((i) => `company${i}-bench.com`),
      env: {
        DNS_SERVERS: names.address,
        SMTP_PROBE_PORT: String(mail.port),
        FETCH_ALLOW_HOSTS: companies.map((i) => `${exchangeOf(i)}:${mail.port}`).join(),
      },
    },
  };
});
