// The pages over a fleet with a past (internal/server/pages_past_test.go): promises were
// broken there, an incident was about that, and one workload waits for a reason that its
// owner can change. Nothing happens by itself, so figures can be compared at leisure.
// node lived.mjs BASE MUSTER [WORDS]
import assert from 'node:assert/strict';
import { accessible, base, cli, done, figure, go, json, looked, oneTab, patience, settled, shell, step } from './house.mjs';

const P = 'tiger/h200', broken = json('promise', 'broken', P).breaks;
const pages = [
  ['fleet', '/'], ['coming', '/coming'], ['can I run', '/run?replicas=2&gpus=8&hours=2'], ['workloads', '/workloads'], ['workload', '/workload/oak/wants'],
  ['a running workload', '/workload/elm/loan'], ['queue', '/queue?target=research/oak'], ['partition', '/partition/' + P], ['partition in shadow', '/partition/puma/a100'], ['shadow', '/shadow/puma'], ['teams', '/teams'], ['team', '/team/research/elm'],
  ['haircut', '/haircuts?basis=quota&kind=fixed&share=25'], ['saved haircut', '/haircut/autumn'], ['promise', '/promise'], ['promise, calibrated', '/promise?kind=calibrated&share=950'],
  ['broken promise', '/promise/broken/' + broken[0].record], ['nodes', '/nodes'], ['node', '/node/tiger-h200-i1-012'], ['events', '/events'],
];
// What pages.mjs opens over the demo need not be opened again.
await looked(pages.filter(([name]) => /coming|running|saved|partition|shadow|team$|promise|^node$/.test(name)));

// numbers reads figures by their words, within a part of the page.
const numbers = part => part.locator('[data-w]').evaluateAll(list => list.map(e => [e.dataset.w, e.innerText]));
const byWord = async part => Object.fromEntries((await numbers(part)).map(([w, n]) => [w, figure(n)]));
const camel = word => word.replace(/ (.)/g, (_, c) => c.toUpperCase());
const rowsOf = part => part.locator('tbody tr').evaluateAll(list => list.map(r => Array.from(r.children, c => c.innerText.trim())));

// Each page names the command that says the same: it runs, and its figures are the page's.
const says = async tab => JSON.parse(shell((await tab.locator('main > .same code').innerText()) + ' -o json'));
const reader = oneTab();
const same = (name, path, compare) => step(`${name}: the command that it names says the same`, async tab => {
  await go(tab, path);
  await settled(tab);
  await compare(tab, await says(tab));
}, reader);

await same('fleet', '/', async (tab, said) => {
  await tab.locator('summary', { hasText: 'The same as a table' }).click();
  const of = Object.fromEntries(await rowsOf(tab.locator('section[aria-labelledby=h-waterfall]')));
  for (const word of ['installed', 'healthy', 'promisable', 'assigned', 'scheduled', 'idle']) assert.equal(figure(of[word]), said.fleet[word], word);
});
await same('can I run', '/run?replicas=2&gpus=8&hours=2', async (tab, said) => {
  const rows = await rowsOf(tab.locator('#places'));
  assert.deepEqual(rows.map(r => [r[0], r[1], r[2].split(/\s/)[0]]), said.places.map(p => [p.target, p.partition, p.outcome]));
});
await same('what could start', '/run', async (tab, said) => {
  const cards = await tab.locator('.card').all();
  const want = [...said.quotas.map(q => [q.quota, q.partition, q.free, q.largestGang]), ...said.flex.map(f => ['flex', f.partition, f.free, f.largestGang])];
  const got = [];
  for (const c of cards) {
    const n = await byWord(c);
    got.push([(await c.locator('h3').innerText()).replace(/\s+open$/, ''), await c.locator('p a').first().innerText(), n.free, n['largest gang']]);
  }
  assert.deepEqual(got.map(String).sort(), want.map(String).sort());
});
await same('workloads', '/workloads', async (tab, said) => {
  const rows = await rowsOf(tab.locator('main'));
  assert.deepEqual(rows.map(r => [r[0], r[1], figure(r[5])]), said.workloads.map(w => [w.spec.namespace + '/' + w.spec.name, w.state, w.gpus]));
});
await same('workload', '/workload/oak/wants', async (tab, said) => {
  assert.deepEqual(await tab.locator('#why .blockers li > p:first-of-type').allInnerTexts(), said.blockers.map(b => b.text));
  const codes = await tab.locator('#why .blockers h3').allInnerTexts();
  codes.forEach((c, i) => assert.ok(c.trim().startsWith(said.blockers[i].code), c));
});
await same('queue', '/queue?target=research/oak', async (tab, said) => {
  await tab.locator('#ladder summary').click();
  const rows = await rowsOf(tab.locator('#ladder'));
  assert.deepEqual(rows.map(r => r[1]).sort(), said.workloads.map(w => w.spec.namespace + '/' + w.spec.name).sort());
  for (const w of said.workloads.filter(w => w.position > 0)) assert.equal(rows.find(r => r[1].endsWith('/' + w.spec.name))[0], String(w.position));
});
await same('partition', '/partition/' + P, async (tab, said) => {
  const { figures, islands } = said.partitions[0];
  for (const [word, n] of Object.entries(await byWord(tab.locator('.facts')))) assert.equal(n, figures[camel(word)], word);
  await tab.locator('summary', { hasText: 'Islands as a table' }).click();
  const rows = await rowsOf(tab.locator('section[aria-labelledby=h-map]'));
  assert.deepEqual(rows.map(r => [r[0], ...r.slice(1).map(figure)]), islands.map(i => [i.island, i.racks, i.nodes, i.whole, i.ownShare, i.backed, i.usable, i.free]));
});
await same('shadow', '/shadow/puma?window=168h', async (tab, said) => {
  const rows = await rowsOf(tab.locator('#shadow'));
  assert.deepEqual(rows.map(r => [r[1], r[2], r[3], r[4], figure(r[5]), r[6]]), said.cases.map(c => [c.workload, c.would, c.how, c.partition, c.gpus, c.happened]));
  assert.ok(rows.some(r => r[1] === 'fir/watched' && r[6] === 'still waits'), 'what waits while Muster only watches is a case');
  await go(tab, '/partition/puma/a100');
  await settled(tab);
  assert.match(await tab.locator('section[aria-labelledby=h-shadow] .same code').innerText(), /^muster cluster shadow puma --since 24h$/);
  assert.match(await tab.locator('#shadow').innerText(), /Muster would have started 1 workload of 8 GPUs: 1 still waits/);
});
await same('team', '/team/research/elm', async (tab, said) => {
  const rows = await tab.locator('section[aria-labelledby=h-now] tbody tr').all();
  assert.equal(rows.length, said.quota.grants.length);
  for (const [i, r] of rows.entries()) for (const [word, n] of Object.entries(await byWord(r))) {
    assert.equal(n, said.quota.grants[i][camel(word)] ?? 0, word);
  }
});
await same('haircut', '/haircuts?basis=quota&kind=fixed&share=25', async (tab, said) => {
  await tab.locator('section[aria-labelledby=h-dumbbell] summary').click();
  const text = await tab.locator('section[aria-labelledby=h-dumbbell] table').innerText();
  for (const w of said.haircut.waves) for (const p of w.parts) for (const c of p.cuts) {
    assert.match(text, new RegExp(c.quota + '\\s[^\\n]*\\b' + c.was + '\\b[^\\n]*\\b' + c.now + '\\b'), c.quota);
  }
});
await same('promise', '/promise', async (tab, said) => {
  await tab.locator('summary', { hasText: 'The same as a table' }).click();
  const rows = await rowsOf(tab.locator('section[aria-labelledby=h-coverage] details').first());
  const want = said.promises.filter(p => !p.island);
  assert.deepEqual(rows.map(r => [r[0], ...r.slice(3, 7).map(figure)]), want.map(p => [p.partition, p.issued, p.kept, p.broken, p.open].map(x => (typeof x === 'string' && /^\d+$/.test(x) ? Number(x) : x))));
});
await same('broken promise', '/promise/broken/' + broken[0].record, async (tab, said) => {
  const of = said.breaks.filter(b => Number(b.record) === Number(broken[0].record));
  for (const d of await tab.locator('main details summary').all()) await d.click();
  const sections = await tab.locator('main > section').all();
  for (const [i, b] of of.entries()) {
    const n = await byWord(sections[i].locator('p').first());
    assert.deepEqual([n.broken, n.promised, n.whole], [b.promises, b.promised, b.whole]);
    const rows = await rowsOf(sections[i]);
    assert.deepEqual(rows.map(r => r[0]), [...b.lost, ...b.out].map(l => l.node));
  }
});
await same('nodes', '/nodes', async (tab, said) => {
  const rows = await rowsOf(tab.locator('section[aria-labelledby=h-automation]'));
  assert.deepEqual(rows.map(r => [r[0], figure(r[1]), r[2].match(/[a-z]+ [\d,]+/g)]), said.partitions.map(p => [p.partition, p.nodes, p.states.map(s => s.state + ' ' + s.nodes)]));
});
await same('node', '/node/tiger-h200-i2-010', async (tab, said) => {
  assert.match(await tab.locator('.lead').innerText(), new RegExp(said.nodes[0].state, 'i'));
});
await same('events', '/events', async (tab, said) => {
  const seqs = (await tab.locator('table.events tbody td:first-child a').allInnerTexts()).map(Number);
  assert.deepEqual(seqs, said.records.map(r => Number(r.seq)).reverse().slice(0, seqs.length));
});
await same('coming', '/coming', async (tab, said) => {
  const rows = await rowsOf(tab.locator('main > .table'));
  assert.deepEqual(rows.map(r => [r[1], r[2], figure(r[3]), r[4]]), said.ahead.map(a => [a.kind, a.partition, a.gpus, a.text]));
});
await step('every command that a word names runs', async tab => {
  await go(tab, '/words');
  for (const line of new Set(await tab.locator('.words code').allInnerTexts())) assert.doesNotThrow(() => shell(line + ' >/dev/null'), line);
});

// The pictures of a page and of the command line are the same, but for where parts lead and what is the page's own.
await step('a picture is the same on the page and from the command line', async tab => {
  const bare = svg => svg.replace(/<a href="[^"]*"( aria-label="[^"]*")?>|<\/a>/g, '').replace(/role="(group|img)"/, '');
  for (const [path, within, args] of [
    ['/', 'section[aria-labelledby=h-waterfall] .for-wide', ['capacity']],
    ['/promise', 'section[aria-labelledby=h-coverage] .for-wide', ['promise']],
    ['/coming', 'main > .picture .for-wide', ['coming']],
    ['/team/research/elm', '#timeline .for-wide', ['quota', 'show', 'research/elm']],
    ['/nodes', 'section[aria-labelledby=h-stages] .for-wide', ['mttr']],
    ['/haircut/autumn', 'section[aria-labelledby=h-dumbbell] .for-wide', ['haircut', 'show', 'autumn']],
    ['/queue?target=research/elm', '#ladder .for-wide', ['job', 'list', '--target', 'research/elm']],
    ['/workload/oak/wants', '#story .for-wide', ['why', 'oak/wants']],
  ]) {
    const at = new Date(Date.now() - 60000).toISOString().replace(/\.\d+Z$/, 'Z');
    const sent = [];
    tab.on('response', async r => { if (/html/.test(r.headers()['content-type'] || '')) sent.push(await r.text().catch(() => '')); });
    await go(tab, path + (path.includes('?') ? '&' : '?') + 'as-of=' + at);
    await settled(tab);
    const file = cli(...args, '-o', 'svg', '--as-of', at).trim();
    const wide = bare(file);
    const drawn = sent.join('\n').match(/<svg [\s\S]*?<\/svg>/g).map(bare);
    assert.ok(drawn.includes(wide), `${path} does not have what muster ${args.join(' ')} -o svg writes: ${wide.slice(0, 300)}`);
    assert.ok(await tab.locator(within + ' svg').count(), within);
  }
});

await step('the islands of a partition are the same on the page and from the command line', async tab => {
  const bare = svg => svg.replace(/<a href="[^"]*"( aria-label="[^"]*")?>|<\/a>/g, '').replace(/<svg [^>]*>/, '');
  const at = new Date(Date.now() - 60000).toISOString().replace(/\.\d+Z$/, 'Z');
  const r = await go(tab, '/partition/tiger/h200?wait=yes&as-of=' + at);
  const figures = (await r.text()).match(/<figure>[\s\S]*?<\/figure>/g);
  const file = cli('describe', 'partition', 'tiger/h200', '-o', 'svg', '--as-of', at).replace(/<a href="[^"]*"( aria-label="[^"]*")?>|<\/a>/g, '');
  assert.equal(figures.length, 2);
  for (const one of figures) assert.ok(file.includes(bare(one.match(/<svg [\s\S]*<\/svg>/)[0])), one.slice(0, 300));
});

await step('an engineer finds the node behind a broken promise', async tab => {
  await go(tab, '/');
  await tab.getByRole('link', { name: 'Promise', exact: true }).click();
  await settled(tab);
  const row = tab.locator('#broken tbody tr', { hasText: P + '\t' }).filter({ hasText: 'promisable' }).first();
  assert.match(await tab.locator('#broken').innerText(), /tiger-h200-i1-012/);
  await row.locator('th a').click();
  await tab.waitForURL(/\/promise\/broken\//);
  assert.match(await tab.locator('.lead').innerText(), /node tiger-h200-i1-012 \(XID 48: double bit error\) broke \d+ promises in tiger\/h200/);
  assert.match(await tab.locator('main').innerText(), /incident cooling/);
  assert.ok(await tab.locator('tr', { hasText: 'out already' }).count() >= 4, 'those that were out already are named');
  await accessible(tab, 'the broken promise');
  await tab.getByRole('link', { name: 'tiger-h200-i1-012' }).first().click();
  await tab.waitForURL(/\/node\/tiger-h200-i1-012/);
  assert.match(await tab.locator('section[aria-labelledby=h-faults]').innerText(), /XID 48: double bit error/);
  assert.match(await tab.locator('section[aria-labelledby=h-events]').innerText(), /goes from healthy to quarantined/);
  // right before it fell it was healthy
  await tab.locator('section[aria-labelledby=h-events] tr', { hasText: 'healthy to quarantined' }).getByRole('link', { name: 'before' }).click();
  await tab.waitForURL(/as-of=/);
  assert.match(await tab.locator('.lead').innerText(), /Healthy since/);
});

await step('an engineer tries every policy of buffers, by the slider', async tab => {
  await go(tab, '/promise');
  await settled(tab);
  const kinds = await tab.locator('nav[aria-label="Policy that is tried"] a').allInnerTexts();
  assert.ok(kinds.length > 3, kinds.join());
  for (const kind of [...kinds.slice(1), kinds[0]]) { // the page begins with the first
    await tab.locator('.tabs').getByRole('link', { name: kind, exact: true }).click();
    await tab.waitForURL(new RegExp('kind=' + kind));
    await settled(tab);
    const was = await tab.locator('#share-shown').innerText();
    await tab.locator('#trial input[type=range]').focus();
    await tab.keyboard.press(kind === 'fixed' ? 'ArrowRight' : 'ArrowLeft');
    await tab.waitForURL(/share=/);
    await settled(tab);
    assert.notEqual(await tab.locator('#share-shown').innerText(), was);
    assert.match(await tab.locator('#frontier').innerText(), new RegExp(kind + ' [\\d.]+ % would have kept \\d+ of \\d+ promises'));
  }
});

await step('a researcher finds why a job waits, does what helps, and sees it run', async tab => {
  await go(tab, '/workloads?states=waiting');
  await tab.getByRole('link', { name: 'oak/wants' }).click();
  await settled(tab);
  assert.match(await tab.locator('.blockers li').first().innerText(), /GPUs that back the tree of research\/oak/);
  const help = tab.locator('#help article').first();
  assert.match(await help.innerText(), /It then starts/);
  await help.locator('summary').click();
  const lines = await help.locator('code').allInnerTexts();
  assert.match(lines[0], /^muster /);
  await tab.evaluate(() => { window.sameDocument = true; });
  shell(lines.join('\n'));
  await tab.locator('.lead', { hasText: /Is running on \d+ GPUs/ }).waitFor();
  assert.ok(await tab.evaluate(() => window.sameDocument), 'without a reload');
  await tab.locator('.facts .tag', { hasText: 'running' }).waitFor();
  assert.equal(json('job', 'show', 'oak/wants').workloads?.[0]?.state ?? json('job', 'list', '--namespace', 'oak').workloads.find(w => w.spec.name === 'wants').state, 'running');
});

await step('forms are misused, and answered', async tab => {
  for (const [path, code] of [
    ['/promise?kind=magic', 400], ['/promise?kind=fixed&share=-1', 400], ['/promise?kind=calibrated&share=99999999999999999999', 400], ['/promise?kind=fixed&share=x', 400],
    ['/promise?scope=no/such', 400], ['/promise/broken/0', 404], ['/promise/broken/x', 404], ['/promise/broken/99999999999999999999', 404], ['/promise/broken/1', 404],
    ['/coming?scope=no/such', 400], ['/coming?scope=%3Cscript%3E', 400], ['/part/broken?window=-1h', 400], ['/part/broken?window=never', 400], ['/part/frontier?share=1e9', 400],
    ['/events?kind=%00', 200], ['/events?from=99999999999999999999', 200], ['/events?limit=-5', 200], ['/partition/' + P + '?island=none', 400], ['/team/%2e%2e/x', 404],
    ['/part/timeline?quota=research/elm&window=99999999999h', 400], ['/haircuts?kind=fixed&share=1e99', 400], ['/haircuts?basis=none', 400], ['/run?gpus=8&replicas=99999999999', 200],
  ]) {
    const r = await tab.goto(base + path, { waitUntil: 'load' });
    const want = code === 400 ? r.status() >= 400 && r.status() < 500 : r.status() === code || r.status() < 500;
    assert.ok(want, `${path}: ${r.status()}`);
    assert.equal(await tab.locator('script:not([src])').count(), 0);
    if (code >= 400) assert.ok(await tab.locator('.trouble, .banner').count(), `${path} says what is wrong`);
  }
});

await step('a change without a reason, or forged, changes nothing', async tab => {
  const waves = () => JSON.stringify(json('haircut', 'show', 'autumn').haircut.waves.map(w => [w.applied, w.told]));
  const was = waves();
  await go(tab, '/haircut/autumn');
  assert.ok(await tab.locator('#tell input[name=reason]').evaluate(i => i.required), 'the browser asks for a reason');
  const answers = await tab.evaluate(async () => {
    const form = new FormData(document.getElementById('tell'));
    const send = (f, path) => fetch(path || '/haircut/autumn/tell', { method: 'POST', body: new URLSearchParams(f) }).then(r => r.status);
    const out = [];
    form.set('reason', '   '); out.push(await send(form));
    form.set('reason', 'x'.repeat(100000)); out.push(await send(form));
    form.set('reason', 'forged'); form.set('csrf', 'forged'); out.push(await send(form));
    form.delete('csrf'); out.push(await send(form, '/haircut/autumn/apply'));
    out.push(await send(new FormData(), '/haircut/none/apply'));
    out.push(await fetch('/haircut/autumn/tell', { method: 'POST', body: 'reason=' + 'x'.repeat(2_000_000), headers: { 'content-type': 'application/x-www-form-urlencoded' } }).then(r => r.status));
    return out;
  });
  for (const code of answers) assert.ok(code >= 400 && code < 500, `answered with ${answers}`);
  assert.equal(waves(), was);
  for (const origin of ['http://elsewhere.example', 'null']) {
    const r = await fetch(base + '/haircut/autumn/tell', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', origin, 'sec-fetch-site': 'cross-site' }, body: 'reason=x' });
    assert.ok(r.status >= 400 && r.status < 500, `from ${origin}: ${r.status}`);
  }
  assert.equal(waves(), was);
});

// The slider leads every page to a moment of the past, and one click back.
for (const [name, path] of pages) {
  await step(`${name}: the slider shows it as it was`, async tab => {
    await go(tab, path);
    await tab.locator('#slider').focus();
    await tab.keyboard.press('ArrowLeft');
    await tab.waitForURL(/as-of=/);
    await settled(tab);
    assert.match(await tab.locator('#state').innerText(), /As of/);
    assert.equal(await tab.locator('.trouble').count(), 0, 'the page of a moment ago is there');
    const lost = await tab.locator('main a[href^="/"]').evaluateAll(list => list.map(a => a.getAttribute('href')).filter(h => !/as-of=|^\/events\?from=/.test(h)));
    assert.deepEqual(lost, [], 'links lead to the same moment');
    await tab.getByRole('link', { name: 'Live again' }).click();
    await tab.waitForURL(u => !/as-of/.test(u.href));
    await tab.locator('#state', { hasText: 'Live' }).waitFor();
  }, reader);
}

await done();
