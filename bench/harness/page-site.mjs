// A page of 60 kB like those of companies, on many hosts of this machine; in a separate process so that its CPU is not counted.
import { createServer } from 'node:http';
import { serveCommands } from './child-process.mjs';

/** Number of hosts: the product reads only a few pages per second from one host. */
const HOSTS = 64;
const PAGE_BYTES = 60_000;

const menu = Array.from({ length: 40 }, (_, i) => `<li><a href="/menu/${i}">Part ${i}</a></li>`).join('');
const sentence =
  'They move <strong>water, oil and beer</strong> from one place to another, quietly, as they have done for a long time. ';
const table = (
  i,
) => `<table><thead><tr><th>Size</th><th>Price</th></tr></thead><tbody><tr><td>Small</td><td>${i * 100} €</td></tr>
<tr><td>Large</td><td>${i * 300} €</td></tr></tbody></table>`;
const section = (
  i,
) => `<h2>Pumps of series ${i}</h2><p>The <a href="/series/${i}">pumps of series ${i}</a> are made in Leeds &amp; Bradford.
${sentence.repeat(6)}</p><p>${sentence.repeat(4)}</p>${i % 5 === 0 ? table(i) : `<ul><li>Flow of ${i * 10} litres</li><li>Weight of ${i} kg</li></ul>`}\n`;

let text = '';
for (let i = 1; text.length < PAGE_BYTES; i += 1) text += section(i);
const PAGE =
  Buffer.from(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Halbrook Pumps</title>
<meta name="description" content="Quiet pumps"><style>body { color: black }</style></head>
<body><header><nav><ul>${menu}</ul></nav></header><main><article><h1>Halbrook Pumps</h1>${text}</article></main>
<footer><p>Halbrook Pumps Ltd, Leeds. <a href="mailto:info@halbrook.example">Mail</a></p></footer></body></html>`);
const HEAD = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': PAGE.length };

await serveCommands(async () => {
  const server = createServer(({ url }, response) =>
    url === '/robots.txt' ? response.writeHead(404).end() : response.writeHead(200, HEAD).end(PAGE),
  );
  await new Promise((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address();
  return { facts: { hosts: Array.from({ length: HOSTS }, (_, i) => `127.0.1.${i + 1}:${port}`) } };
});
