// Pages left open, while the fleet changes all the time: node hour.mjs BASE [MINUTES] [CHANGES A SECOND] [WORDS]
// BASE is a server with the demo fleet; with WORDS only pages that have them in their names are opened. Every live page is opened in a process of its own, scrolled a
// little and left alone; workloads are submitted and cancelled beside it. Now and then each page's
// rubbish is collected, and then counted: its script memory, its nodes, its listeners, its elements.
// At the end it is loaded anew, so that what the fleet itself has grown by can be told from what the page
// has kept. Prints a table; exit code 1 if a page has grown by more than a tenth, complained or moved.
import { chromium } from 'playwright-core';

const [base, minutes = '60', rate = '50', only = ''] = process.argv.slice(2);
const lasts = Number(minutes) * 60_000, warm = Math.min(300_000, lasts / 5), every = Math.max(10_000, lasts / 20);
const ask = async (method, body = {}) => {
  const r = await fetch(`${base}/muster.v1.${method}`, { method: 'POST', headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' }, body: JSON.stringify(body) });
  return { ok: r.ok, body: await r.json().catch(() => ({})) };
};
const seen = async () => Number((await ask('SystemService/Status')).body.seen.version);
const sleep = ms => new Promise(done => setTimeout(done, ms));

// Changes: every other one submits, and those between cancel what was submitted twenty ago.
let asked = 0, done = 0, over = false;
async function drive() {
  const began = Date.now(), run = began.toString(36);
  while (!over) {
    const due = Math.floor((Date.now() - began) / 1000 * rate);
    if (asked - done > 200 || asked >= due) { await sleep(20); continue; }
    for (; asked < due && asked - done <= 200; asked++) {
      const k = asked >> 1;
      const change = asked % 2
        ? ask('WorkloadService/Cancel', { namespace: 'hour', name: `h${run}-${k - 20}` })
        : ask('WorkloadService/Submit', { spec: { namespace: 'hour', name: `h${run}-${k}`, target: 'flex', pools: [{ name: 'main', gpus: 1, replicas: 1 }], maxRuntime: '600s' } });
      change.catch(() => {}).finally(() => done++);
    }
  }
}

const first = async (method, body, pick) => pick((await ask(method, body)).body);
const partition = await first('CapacityService/Capacity', {}, b => b.partitions[0].partition);
const node = await first('CapacityService/Nodes', { scope: partition }, b => b.nodes[0].name);
const quota = await first('QuotaService/ListQuotas', {}, b => b.quotas.find(q => (q.grants || []).length).path);
const waits = await first('WorkloadService/ListWorkloads', { limit: 500 }, b => b.workloads.find(w => w.state === 'pending') || b.workloads[0]);
const pages = [
  ['Fleet', '/'], ['Can I run?', '/run?replicas=4&gpus=8&hours=2'], ['Workloads', '/workloads'], ['Workload', `/workload/${waits.spec.namespace}/${waits.spec.name}`],
  ['Queue', '/queue?target=' + quota], ['Partition', '/partition/' + partition], ['Teams', '/teams'], ['Team', '/team/' + quota],
  ['Haircut', '/haircuts?basis=quota&kind=fixed&share=25'], ['Promise', '/promise'], ['Nodes', '/nodes'], ['Node', '/node/' + node], ['Events', '/events'],
].filter(([name]) => name.includes(only));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--site-per-process', '--renderer-process-limit=40'],
});

async function open([name, path]) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } }); // a process of its own
  const tab = await context.newPage();
  const t = { name, path, tab, complaints: [] };
  tab.on('console', m => { if (m.type() === 'error') t.complaints.push(m.text()); });
  tab.on('pageerror', e => t.complaints.push(e.message));
  t.cdp = await context.newCDPSession(tab);
  await t.cdp.send('Performance.enable');
  await tab.goto(base + path, { waitUntil: 'load', timeout: 120_000 });
  await tab.waitForFunction(() => !document.querySelector('[data-loads], [data-coming]'), null, { timeout: 120_000 });
  await tab.evaluate(() => { window.swaps = 0; document.body.addEventListener('htmx:afterSwap', () => window.swaps++); scrollTo(0, 150); });
  t.at = await tab.evaluate(stands);
  return t;
}

// stands is where the headline is on the screen: what appears above or below what is read must not move it.
const stands = () => Math.round(document.querySelector('h1').getBoundingClientRect().top);

// rested lets a page finish what it is about, and begin nothing new: an answer that is just being
// put in place is no growth. awake lets it go on.
const rested = async () => {
  window.trigger = htmx.trigger;
  htmx.trigger = () => {};
  while (document.querySelector('.htmx-request')) await new Promise(done => setTimeout(done, 20));
  await new Promise(done => setTimeout(done, 200)); // htmx settles what it has swapped
};
const awake = () => { htmx.trigger = window.trigger; };

// weigh counts what a page holds, once what nobody needs any more is gone.
async function weigh(t) {
  await t.tab.evaluate(rested);
  let of = {};
  for (let tries = 0; tries < 10; tries++) { // an answer that was read and put in place is a document of its own, until it has been collected
    for (let i = 0; i < 3; i++) await t.cdp.send('HeapProfiler.collectGarbage');
    of = Object.fromEntries((await t.cdp.send('Performance.getMetrics')).metrics.map(m => [m.name, m.value]));
    if (of.Documents <= 1) break;
    await sleep(300);
  }
  const [elements, swaps] = await t.tab.evaluate(() => [document.getElementsByTagName('*').length, window.swaps]), at = await t.tab.evaluate(stands);
  await t.tab.evaluate(awake);
  return { heap: of.JSHeapUsedSize, nodes: of.Nodes, listeners: of.JSEventListeners, documents: of.Documents, elements, swaps, at };
}

const tabs = [];
for (const page of pages) tabs.push(await open(page));
for (const t of tabs) t.begins = await weigh(t); // loaded just now: beside what it weighs loaded anew at the end
const began = Date.now(), from = await seen();
const driving = drive();
await sleep(warm);
for (const t of tabs) { t.first = await weigh(t); t.last = t.most = t.first; }
const log = process.env.LOG ? (await import('node:fs')).createWriteStream(process.env.LOG) : null;
while (Date.now() - began < lasts) {
  await sleep(Math.min(every, Math.max(0, lasts - (Date.now() - began))));
  for (const t of tabs) {
    t.last = await weigh(t);
    log?.write(JSON.stringify({ page: t.name, seconds: Math.round((Date.now() - began) / 1000), ...t.last }) + '\n');
  }
}
const version = await seen(), seconds = (Date.now() - began) / 1000;
over = true;
await driving;

let failed = 0;
const mib = n => (n / (1 << 20)).toFixed(2), more = (a, b) => ((b / a - 1) * 100).toFixed(1) + ' %';
console.log(`${pages.length} pages, ${(seconds / 60).toFixed(1)} minutes, ${(asked / seconds).toFixed(1)} commands and ${((version - from) / seconds).toFixed(1)} records a second`);
console.log('page        refreshed  MiB after  at the end    grown  loaded anew    nodes  at the end    grown  loaded anew  listeners');
for (const t of tabs) {
  await t.tab.reload({ waitUntil: 'load', timeout: 120_000 }).catch(e => t.complaints.push(e.message));
  await sleep(3000);
  const fresh = await weigh(t), a = t.first, b = t.last;
  // What the fleet itself has grown by shows in a page that is loaded anew, too: that the page has not kept.
  const fleet = Math.max(0, fresh.heap - t.begins.heap);
  const grown = b.heap - fleet > a.heap * 1.1 || b.nodes > a.nodes * 1.1 && b.nodes > fresh.nodes * 1.1;
  const moved = Math.abs(b.at - t.at) > 1;
  if (grown || moved || t.complaints.length || !b.swaps) failed++;
  console.log([t.name.padEnd(11), String(b.swaps).padStart(9), mib(a.heap).padStart(10), mib(b.heap).padStart(11), more(a.heap, b.heap).padStart(8), mib(fresh.heap).padStart(12),
    String(a.nodes).padStart(8), String(b.nodes).padStart(11), more(a.nodes, b.nodes).padStart(8), String(fresh.nodes).padStart(12), `${a.listeners} → ${b.listeners}`.padStart(10)].join(' ')
    + (grown ? '  GROWN' : '') + (moved ? `  MOVED from ${t.at} to ${b.at}` : '') + (b.swaps ? '' : '  NEVER REFRESHED') + (t.complaints.length ? '  ' + t.complaints.length + ' complaints: ' + t.complaints.slice(0, 2).join('; ') : ''));
}
await browser.close();
console.log(failed ? `${failed} failed` : 'none grew, none complained, none moved');
process.exit(failed ? 1 : 0);
