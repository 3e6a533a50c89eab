// How soon pages are there: node rendered.mjs BASE [TIMES] [WORDS]; with WORDS only pages that have them in their names.
// Opens each page some times, and says when its first byte came, and when its figures stood on the
// screen (parts that come later are not waited for: they are studies). Best on a large fleet:
// muster bench fleet --keep FOLDER && muster up --data FOLDER. Exit code 1 if a page took more than a second at the 95th of 100.
import { chromium } from 'playwright-core';

const [base, times = '10', only = ''] = process.argv.slice(2);
const ask = (method, body) => fetch(`${base}/muster.v1.${method}`, { method: 'POST', headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' }, body: JSON.stringify(body) }).then(r => r.json());
const partition = (await ask('CapacityService/Capacity', {})).partitions[0].partition;
const node = (await ask('CapacityService/Nodes', { scope: partition })).nodes[0].name;
const quota = (await ask('QuotaService/ListQuotas', {})).quotas.find(q => (q.grants || []).length).path;
const waits = (await ask('WorkloadService/ListWorkloads', { limit: 1, states: ['pending'] })).workloads[0].spec;
const pages = [
  ['Fleet', '/'], ['Can I run?', '/run'], ['Workloads', '/workloads'], ['Workload', `/workload/${waits.namespace}/${waits.name}`], ['Queue', '/queue?target=' + quota], ['Partition', '/partition/' + partition],
  ['Teams', '/teams'], ['Team', '/team/' + quota], ['Haircut', '/haircuts'], ['Promise', '/promise'], ['Coming', '/coming'], ['Nodes', '/nodes'], ['Node', '/node/' + node], ['Events', '/events'],
].filter(([name]) => name.includes(only));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'] });
const tab = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
const p95 = list => Math.round(list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * 0.95))]);
let late = 0;
console.log('page        first byte   rendered   kB   (ms, p95)');
for (const [name, path] of pages) {
  const first = [], there = [];
  let size = 0;
  for (let i = 0; i < Number(times); i++) {
    const began = Date.now();
    const r = await tab.goto(base + path, { waitUntil: 'commit' });
    await tab.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('[data-coming]'), null, { timeout: 120_000 });
    await tab.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))); // it has been painted
    there.push(Date.now() - began);
    const [nav] = await tab.evaluate(() => performance.getEntriesByType('navigation').map(n => [n.responseStart - n.requestStart]));
    first.push(nav[0]);
    size = Math.max(size, await tab.evaluate(() => document.documentElement.outerHTML.length));
    if (r.status() !== 200) throw new Error(`${path}: ${r.status()}`);
  }
  const rendered = p95(there);
  if (rendered > 1000) late++;
  console.log(name.padEnd(11), String(p95(first)).padStart(10), String(rendered).padStart(10), String(Math.round(size / 1000)).padStart(4), rendered > 1000 ? ' LATE' : '');
}
await browser.close();
process.exit(late ? 1 : 0);
