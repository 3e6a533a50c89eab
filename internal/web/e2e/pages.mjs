// The pages in a real browser, used as their readers would: node pages.mjs BASE MUSTER [WORDS]
// BASE is a server with the demo fleet, MUSTER the command line that reaches it.
// With WORDS only what has them in its name is tried.
// Prints a line per thing that was tried; exit code 1 if any of them failed.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [base, muster, only = ''] = process.argv.slice(2);
const host = new URL(base).host;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const cli = (...args) => execFileSync(muster, [...args, '--server', host], { encoding: 'utf8' });
const json = (...args) => JSON.parse(cli(...args, '-o', 'json'));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const complaints = [];
let failed = 0;

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const tab = await context.newPage();
  tab.on('console', m => { if (m.type() === 'error' && !/Failed to load resource/.test(m.text())) complaints.push(`console: ${m.text()} at ${tab.url()}`); });
  tab.on('pageerror', e => complaints.push(`error: ${e.message} at ${tab.url()}`));
  tab.on('request', r => { const u = new URL(r.url()); if (u.host !== host && u.protocol !== 'data:') complaints.push(`request to ${u.host}`); });
  return tab;
}

async function step(name, fn, options) {
  if (!name.includes(only)) return;
  const tab = await open(options);
  const before = complaints.length;
  try {
    await fn(tab);
    assert.deepEqual(complaints.slice(before), [], 'nothing is complained of');
    console.log(`ok    ${name}`);
  } catch (e) {
    failed++;
    if (process.env.SHOT) await tab.screenshot({ path: process.env.SHOT, fullPage: true }).catch(() => {});
    console.log(`FAIL  ${name}\n      ${String(e.message || e).split('\n').slice(0, 12).join('\n      ')}`);
  } finally {
    await tab.context().close();
  }
}

const settled = tab => tab.waitForFunction(() => !document.querySelector('[data-loads], [data-coming]'), null, { timeout: 20000 });
const arrived = tab => tab.waitForFunction(() => !document.querySelector('[data-coming]'), null, { timeout: 20000 });
const go = async (tab, path) => { const r = await tab.goto(base + path, { waitUntil: 'load' }); await arrived(tab); return r; };
const figure = text => Number(text.replace(/[,\s]/g, '').replace('−', '-'));

// accessible asks axe; only what is serious or worse fails.
async function accessible(tab, what) {
  // the browser's own channel, so that the page's policy stays as it is
  await tab.evaluate(axe + ';0');
  const found = await tab.evaluate(() => axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  const bad = found.violations.filter(v => v.impact === 'serious' || v.impact === 'critical');
  assert.deepEqual(bad.map(v => `${v.id}: ${v.nodes.length} × ${v.nodes[0].html.slice(0, 160)} ${v.nodes[0].failureSummary.split('\n')[1]}`), [], what);
}

const partition = json('capacity').partitions[0].partition;
const node = json('node', 'list').nodes[0].name;
const pages = [
  ['fleet', '/'], ['can I run', '/run?replicas=4&gpus=8&hours=2'], ['workloads', '/workloads'], ['workload', '/workload/oak/moonshot'],
  ['queue', '/queue?target=research/pretraining/oak'], ['partition', '/partition/' + partition], ['teams', '/teams'],
  ['team', '/team/research/pretraining/oak'], ['haircut', '/haircuts?basis=quota&kind=fixed&share=25'], ['promise', '/promise'],
  ['nodes', '/nodes'], ['node', '/node/' + node], ['events', '/events'], ['words', '/words'], ['style', '/style'],
];

for (const [name, path] of pages) {
  await step(`${name}: opens, is accessible, and names its command`, async tab => {
    const r = await go(tab, path);
    assert.equal(r.status(), 200);
    await settled(tab);
    assert.ok(await tab.locator('h1').innerText());
    if (!['words', 'style'].includes(name)) assert.match(await tab.locator('.same code').innerText(), /^muster /);
    await accessible(tab, name);
  });
  await step(`${name}: dark, accessible too`, async tab => { await go(tab, path); await settled(tab); await accessible(tab, name); }, { colorScheme: 'dark' });
  await step(`${name}: a phone's width is enough`, async tab => {
    await go(tab, path);
    await settled(tab);
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the screen');
  }, { viewport: { width: 375, height: 740 } });
}

await step('a page says the same as the command line', async tab => {
  const at = new Date(Date.now() - 1500).toISOString().replace(/\.\d+Z$/, 'Z');
  const said = json('capacity', '--as-of', at);
  await go(tab, '/?as-of=' + at);
  await tab.locator('summary', { hasText: 'The same as a table' }).click();
  const rows = await tab.locator('section[aria-labelledby=h-waterfall] table tbody tr').allInnerTexts();
  const of = Object.fromEntries(rows.map(r => r.split('\t').map(s => s.trim())));
  for (const word of ['installed', 'healthy', 'promisable', 'assigned', 'scheduled', 'idle']) {
    assert.equal(figure(of[word]), said.fleet[word], word);
  }
  for (const p of said.partitions) {
    const cells = await tab.locator(`[id="row-${p.partition}"] td.n`).allInnerTexts();
    const want = ['installed', 'healthy', 'promisable', 'assigned', 'backed', 'scheduled', 'idle', 'flex', 'flexUsed'].map(w => (p.figures || p)[w] ?? 0);
    assert.deepEqual(cells.map(figure), want, p.partition);
  }
});

await step('team and command line agree', async tab => {
  const at = new Date(Date.now() - 1500).toISOString().replace(/\.\d+Z$/, 'Z');
  const said = json('quota', 'list', '--as-of', at);
  await go(tab, '/teams?as-of=' + at);
  const rows = await tab.locator('main table tbody tr').evaluateAll(list => list.map(r => [r.querySelector('th').innerText, ...Array.from(r.querySelectorAll('td'), c => c.innerText)]));
  const want = said.quotas.flatMap(q => (q.grants || []).map(g => [q.path, g.partition, g.assigned, g.gang, g.backed, g.unbacked, g.usage, g.borrowed, g.lent, g.over]));
  assert.deepEqual(rows.map(r => [r[0], r[1], ...r.slice(3, 11).map(figure)]), want);
});

await step('a researcher finds why a job waits, and what would help', async tab => {
  await go(tab, '/workloads?states=waiting');
  await tab.getByRole('link', { name: 'oak/moonshot' }).click();
  await settled(tab);
  assert.match(await tab.locator('.lead').innerText(), /Waits for/);
  assert.match(await tab.locator('.blockers li').first().innerText(), /needs 20 nodes in one island/);
  await tab.locator('#story summary').click();
  assert.match(await tab.locator('#story table').innerText(), /submitted to research\/pretraining\/oak/);
  const help = tab.locator('#help summary').first();
  if (await help.count()) {
    await help.click();
    assert.match(await tab.locator('#help code').first().innerText(), /^muster /);
  } else {
    assert.match(await tab.locator('#help').innerText(), /No single change|impossible/);
  }
});

await step('a form that asks nonsense is answered, and nothing breaks', async tab => {
  for (const q of ['gpus=-1&replicas=2', 'gpus=eight', 'gpus=8&hours=never', 'gpus=8&partition=no/such', 'gpus=8&target=%3Cscript%3Ealert(1)%3C/script%3E', 'gpus=8&namespace=%00', 'gpus=99999999999999']) {
    const r = await go(tab, '/run?' + q);
    assert.ok(r.status() < 500, `${q}: ${r.status()}`);
    await settled(tab);
    assert.ok(await tab.locator('.banner[role=alert], .trouble').count(), q);
    assert.equal(await tab.locator('script:not([src])').count(), 0);
  }
  for (const p of ['/?as-of=yesterday', '/workload/no/such', '/partition/no/such', '/team/no/such', '/node/no', '/haircut/no', '/nowhere', '/nodes?scope=no', '/events?since=x', '/?as-of=2099-01-01', '/haircuts?kind=fixed&share=x']) {
    const r = await go(tab, p);
    assert.ok(r.status() >= 400 && r.status() < 500, `${p}: ${r.status()}`);
    assert.ok(await tab.locator('.trouble').innerText(), p);
  }
});

await step('changes appear by themselves, and nothing that was open or typed is lost', async tab => {
  await go(tab, '/workloads?namespace=e2e');
  await tab.locator('input[name=user]').fill('typed');
  const name = 'live-' + Date.now();
  cli('submit', '-n', 'e2e', '--name', name, '--target', 'flex', '--gang', '1x1', '--max-runtime', '1m');
  const began = Date.now();
  await tab.getByRole('link', { name: 'e2e/' + name }).waitFor({ timeout: 5000 });
  const took = Date.now() - began;
  console.log(`      seen after ${took} ms`);
  assert.ok(took < 2500, `it took ${took} ms`);
  assert.equal(await tab.locator('input[name=user]').inputValue(), 'typed');
  cli('job', 'cancel', 'e2e/' + name);
});

await step('scroll, focus and open parts stay while the page lives', async tab => {
  await go(tab, '/');
  const summary = tab.locator('summary', { hasText: 'The same as a table' });
  await summary.click();
  await summary.focus();
  await tab.evaluate(() => scrollTo(0, 300));
  await tab.evaluate(() => { window.swaps = 0; document.body.addEventListener('htmx:afterSwap', () => window.swaps++); });
  await tab.waitForFunction(() => window.swaps >= 3, null, { timeout: 60000 });
  assert.equal(await tab.evaluate(() => scrollY), 300);
  assert.ok(await tab.locator('details').first().evaluate(d => d.open));
  assert.equal(await tab.evaluate(() => document.activeElement.tagName), 'SUMMARY');
});

await step('a page that stays open does not grow', async tab => {
  await go(tab, '/events');
  const count = () => tab.evaluate(() => document.getElementsByTagName('*').length);
  await tab.evaluate(() => { window.swaps = 0; document.body.addEventListener('htmx:afterSwap', () => window.swaps++); });
  const before = await count();
  await tab.waitForFunction(() => window.swaps >= 8, null, { timeout: 90000 });
  const after = await count();
  assert.ok(after < before * 1.5, `${before} elements became ${after}`); // the list itself differs from moment to moment
});

await step('the slider shows the fleet as it was, and one click leads back', async tab => {
  await go(tab, '/');
  await tab.locator('#slider').focus();
  await tab.keyboard.press('Home');
  await tab.waitForURL(/as-of=/);
  assert.match(await tab.locator('#state').innerText(), /As of/);
  await tab.getByRole('link', { name: 'Teams', exact: true }).click();
  assert.match(tab.url(), /as-of=/, 'the moment goes along');
  await tab.getByRole('link', { name: 'Live again' }).click();
  assert.doesNotMatch(tab.url(), /as-of/);
  await tab.locator('#state', { hasText: 'Live' }).waitFor();
});

await step('an engineer finds a node, and what happened to it', async tab => {
  await go(tab, '/partition/' + partition);
  const cell = tab.locator('.islands svg a').first();
  const name = (await cell.getAttribute('aria-label')).split(',')[0];
  await cell.focus();
  await tab.keyboard.press('Enter');
  await tab.waitForURL(/\/node\//);
  assert.equal(await tab.locator('h1').innerText(), name);
  assert.ok(await tab.locator('#h-faults').count());
});

// A plan is stale once a grant has changed, and the demo's people change grants: the
// manager then makes a new one, as people would.
await step('a manager drafts, saves, reviews, applies and undoes a haircut', async tab => {
  for (const q of json('quota', 'list').quotas) cli('quota', 'owner', q.path, 'lea', '--reason', 'somebody answers for it');
  for (let tries = 3; ; tries--) {
    try { return await manage(tab); } catch (e) {
      const trouble = await tab.locator('.trouble').count() ? await tab.locator('.trouble').innerText() : '';
      if (tries === 0 || !/moved on/.test(trouble)) throw e;
    }
  }
});

async function manage(tab) {
  await go(tab, '/haircuts');
  await tab.locator('select[name=basis]').selectOption('quota');
  await tab.locator('#ask select[name=kind]').selectOption('fixed');
  await tab.locator('#ask input[name=share]').fill('25');
  await tab.getByRole('button', { name: 'Draft a plan' }).click();
  await settled(tab);
  assert.match(await tab.locator('.lead').innerText(), /Brings assigned down/);
  assert.ok(await tab.locator('#compare tbody tr').count() >= 6, 'policies side by side');
  const plan = 'e2e-' + Date.now();
  await tab.locator('#save input[name=name]').fill(plan);
  await tab.locator('#save input[name=reason]').fill('tried in a browser');
  await tab.getByRole('button', { name: 'Save the plan' }).click();
  await tab.waitForURL(new RegExp('/haircut/' + plan));
  assert.match(await tab.locator('.flash').innerText(), /is saved/);
  await tab.locator('#review input[name=reason]').fill('looked at every row');
  await tab.getByRole('button', { name: 'Review it' }).click();
  await tab.locator('.flash', { hasText: 'reviewed' }).waitFor({ timeout: 5000 });
  await tab.locator('#tell input[name=reason]').fill('by mail');
  await tab.getByRole('button', { name: 'Note that they were told' }).click();
  await tab.locator('.flash', { hasText: 'told' }).waitFor({ timeout: 5000 });
  const sum = () => json('capacity').fleet.assigned;
  const before = sum();
  await tab.getByRole('link', { name: 'Apply …' }).first().click();
  assert.match(await tab.locator('.lead').innerText(), /Nothing is changed yet/);
  assert.ok(await tab.locator('.diff tbody tr').count() > 0, 'the difference is shown first');
  assert.equal(sum(), before);
  await accessible(tab, 'the step');
  const no = await tab.locator('.banner', { hasText: 'would be refused' }).count();
  await tab.locator('textarea[name=reason]').fill('the cluster runs hot');
  await tab.getByRole('button', { name: 'Apply the wave' }).click();
  if (no) {
    await tab.locator('.trouble').waitFor();
    assert.equal(sum(), before, 'what is refused changes nothing');
    console.log('      (the demo refuses the wave: ' + (await tab.locator('.trouble p').first().innerText()).slice(0, 100) + ')');
    return;
  }
  await tab.locator('.flash', { hasText: 'in force' }).waitFor({ timeout: 5000 });
  assert.ok(sum() < before, 'less is assigned');
  await tab.getByRole('link', { name: 'Undo …' }).first().click();
  await tab.locator('textarea[name=reason]').fill('it was only tried');
  await tab.getByRole('button', { name: 'Undo the wave' }).click();
  await tab.locator('.flash', { hasText: 'undone' }).waitFor({ timeout: 5000 });
  assert.equal(sum(), before, 'all is as it was');
}

await step('a form sent twice is done once, and a forged one never', async tab => {
  await go(tab, '/haircuts?basis=quota&kind=fixed&share=25');
  const plan = 'twice-' + Date.now();
  const answers = await tab.evaluate(async plan => {
    const form = new FormData(document.getElementById('save'));
    form.set('name', plan); form.set('reason', 'sent twice');
    const send = f => fetch('/haircuts', { method: 'POST', body: new URLSearchParams(f) }).then(r => r.status);
    const both = [await send(form), await send(form)];
    form.set('csrf', 'forged'); form.set('name', plan + '-forged'); form.set('key', 'another');
    return [...both, await send(form)];
  }, plan);
  assert.deepEqual(answers, [200, 200, 400]);
  const names = json('haircut', 'list').haircuts.map(h => h.name);
  assert.equal(names.filter(n => n === plan).length, 1);
  assert.ok(!names.includes(plan + '-forged'));
  const r = await fetch(base + '/haircuts', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://elsewhere.example', 'sec-fetch-site': 'cross-site' }, body: 'name=x' });
  assert.ok(r.status === 403 || r.status === 401 || r.status === 400, `a form from elsewhere is answered with ${r.status}`);
});

await step('the policy lets no script in that is not the server\'s', async tab => {
  const r = await go(tab, '/');
  const policy = r.headers()['content-security-policy'];
  assert.match(policy, /script-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(await tab.locator('script:not([src]), [style], [onclick]').count(), 0);
});

await step('the theme is chosen, and stays', async tab => {
  await go(tab, '/');
  await tab.locator('#theme').click();
  assert.equal(await tab.locator('html').getAttribute('data-theme'), 'dark');
  await tab.reload();
  assert.equal(await tab.locator('html').getAttribute('data-theme'), 'dark');
});

await browser.close();
console.log(failed ? `${failed} failed` : 'all passed');
process.exit(failed ? 1 : 0);
