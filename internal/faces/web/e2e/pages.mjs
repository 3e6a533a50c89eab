// The pages in a real browser over the demo fleet, used as their readers would:
// node pages.mjs BASE MUSTER [WORDS]
// BASE is a server with the demo fleet, MUSTER the command line that reaches it.
// With WORDS only what has them in its name is tried.
// Prints a line per thing that was tried; exit code 1 if any of them failed.
import assert from 'node:assert/strict';
import { accessible, base, cli, done, figure, go, json, looked, patience, settled, step } from './house.mjs';

const partition = json('capacity').partitions[0].partition;
const node = json('node', 'list').nodes[0].name;
if (!(json('cluster', 'list').clusters || []).some(c => c.record.name === 'badger')) {
  cli('blueprint', 'add', new URL('../../../../examples/buildout/nd.yaml', import.meta.url).pathname);
  cli('cluster', 'plan', 'badger', '--subscription', 'research-9', '--region', 'east', '--gpu', 'h200', '--island', 'a=4', '--blueprint', 'nd');
}
const pages = [
  ['fleet', '/'], ['can I run', '/run?replicas=4&gpus=8&hours=2'], ['workloads', '/workloads'], ['workload', '/workload/oak/moonshot'],
  ['queue', '/queue?target=research/pretraining/oak'], ['partition', '/partition/' + partition], ['teams', '/teams'],
  ['team', '/team/research/pretraining/oak'], ['haircut', '/haircuts?basis=quota&kind=fixed&share=25'], ['promise', '/promise'],
  ['incidents', '/incidents?closed=yes'], ['a form', '/do/grant?quota=research/pretraining/oak&partition=tiger/h200&gpus=64&try=yes'], ['build-out', '/build-out'], ['cluster that is built', '/build-out/badger'], ['cloud quota', '/cloud-quota'], ['nodes', '/nodes'], ['maintenance', '/maintenance'], ['rollout', '/rollout/driver-580'], ['no-fly zone', '/zone/launch'], ['drift', '/drift'], ['node', '/node/' + node], ['events', '/events'], ['sign-ins', '/sessions'], ['words', '/words'], ['style', '/style'],
];

await looked(pages);

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
    const cells = await tab.locator(`[id="row-${p.partition}"] td.n .num`).allInnerTexts();
    const want = ['installed', 'healthy', 'promisable', 'assigned', 'backed', 'scheduled', 'borrowed', 'over', 'flex', 'flexUsed'].map(w => (p.figures || p)[w] ?? 0);
    assert.deepEqual(cells.map(figure), want, p.partition);
  }
});

await step('the table of clusters shows its last column beside figures of thousands', async tab => {
  await go(tab, '/');
  const table = tab.locator('[aria-label=Clusters]');
  await table.locator('td.n .num').evaluateAll(list => list.forEach(one => { one.textContent = '12,288'; }));
  const [whole, shown] = await table.evaluate(t => [t.scrollWidth, t.clientWidth]);
  assert.ok(whole <= shown, `${whole} px in ${shown}`);
});

for (const [name, path, label] of [['clusters', '/', 'Clusters'], ['teams', '/teams', 'Grants'], ['the build-out board', '/build-out', 'Clusters by phase']]) {
  await step(`${name} fit a page of 1100 pixels, with figures of thousands`, async tab => {
    await go(tab, path);
    const table = tab.locator(`[aria-label="${label}"]`);
    await table.locator('td.n .num').evaluateAll(list => list.forEach(one => { one.textContent = '12,288'; }));
    const [whole, shown] = await table.evaluate(t => [t.scrollWidth, t.clientWidth]);
    assert.ok(whole <= shown, `${whole} px in ${shown}`);
  }, { viewport: { width: 1100, height: 800 } });
}

await step('team and command line agree', async tab => {
  const at = new Date(Date.now() - 1500).toISOString().replace(/\.\d+Z$/, 'Z');
  const said = json('quota', 'list', '--as-of', at);
  await go(tab, '/teams?as-of=' + at);
  const rows = await tab.locator('main table tbody tr').evaluateAll(list => list.map(r => [r.querySelector('th a').innerText, ...Array.from(r.querySelectorAll('td'), c => c.innerText)]));
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
  for (const p of ['/?as-of=someday', '/workload/no/such', '/partition/no/such', '/team/no/such', '/node/no', '/haircut/no', '/nowhere', '/nodes?scope=no', '/events?since=x', '/?as-of=2099-01-01', '/haircuts?kind=fixed&share=x']) {
    const r = await go(tab, p);
    assert.ok(r.status() >= 400 && r.status() < 500, `${p}: ${r.status()}`);
    assert.ok(await tab.locator('.trouble, .banner[role=alert]').first().innerText(), p);
  }
});

await step('changes appear by themselves, and nothing that was open or typed is lost', async tab => {
  await go(tab, '/workloads?namespace=e2e');
  await tab.locator('input[name=user]').fill('typed');
  const name = 'live-' + Date.now();
  cli('submit', '-n', 'e2e', '--name', name, '--target', 'flex', '--gang', '1x1', '--max-runtime', '1m');
  const began = Date.now();
  await tab.getByRole('link', { name: 'e2e/' + name }).waitFor({ timeout: patience });
  console.log(`      seen after ${Date.now() - began} ms`); // said, not judged: machines differ
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
  await tab.waitForFunction(() => window.swaps >= 3, null, { timeout: patience });
  assert.equal(await tab.evaluate(() => scrollY), 300);
  assert.ok(await tab.locator('details').first().evaluate(d => d.open));
  assert.equal(await tab.evaluate(() => document.activeElement.tagName), 'SUMMARY');
});

await step('a page that stays open does not grow', async tab => {
  await go(tab, '/events');
  const count = () => tab.evaluate(() => document.getElementsByTagName('*').length);
  await tab.evaluate(() => { window.swaps = 0; document.body.addEventListener('htmx:afterSwap', () => window.swaps++); });
  const before = await count();
  await tab.waitForFunction(() => window.swaps >= 8, null, { timeout: patience });
  const after = await count();
  assert.ok(after < before * 1.5, `${before} elements became ${after}`); // the list itself differs from moment to moment
});

await step('the slider goes by keys, one after the other, and keeps the focus', async tab => {
  await go(tab, '/');
  await tab.locator('#slider').focus();
  for (const key of ['Home', 'ArrowRight', 'ArrowRight']) await tab.keyboard.press(key);
  await tab.waitForURL(/as-of=/);
  const first = new URL(tab.url()).searchParams.get('as-of');
  assert.ok(Date.parse(first) > Date.parse(await tab.locator('#slider').getAttribute('data-from')), 'all the keys are heard before it goes');
  await tab.waitForFunction(() => document.activeElement.id === 'slider');
  await tab.keyboard.press('ArrowRight');
  await tab.waitForURL(u => Date.parse(u.searchParams.get('as-of')) > Date.parse(first));
  await tab.waitForFunction(() => document.activeElement.id === 'slider');
  await tab.keyboard.press('End');
  await tab.waitForURL(u => !/as-of/.test(u.href));
  await tab.waitForFunction(() => document.activeElement.id === 'slider');
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
  await tab.locator('h1', { hasText: name }).waitFor(); // its figures may come after its frame
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
  assert.match(await tab.locator('.lead').innerText(), /Cuts every grant by the buffer/);
  assert.ok(await tab.locator('#compare tbody tr').count() >= 6, 'policies side by side');
  const plan = 'e2e-' + Date.now();
  await tab.locator('#save input[name=name]').fill(plan);
  await tab.locator('#save input[name=reason]').fill('tried in a browser');
  await tab.getByRole('button', { name: 'Save the plan' }).click();
  await tab.waitForURL(new RegExp('/haircut/' + plan));
  assert.match(await tab.locator('.flash').innerText(), /is saved/);
  await tab.locator('#review input[name=reason]').fill('looked at every row');
  await tab.getByRole('button', { name: 'Review it' }).click();
  await tab.locator('.flash', { hasText: 'reviewed' }).waitFor({ timeout: patience });
  await tab.locator('#tell input[name=reason]').fill('by mail');
  await tab.getByRole('button', { name: 'Note that they were told' }).click();
  await tab.locator('.flash', { hasText: 'told' }).waitFor({ timeout: patience });
  const sum = () => json('capacity').fleet.assigned;
  const before = sum();
  await tab.getByRole('link', { name: /^(Apply …|See what it would change)$/ }).first().click();
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
  await tab.locator('.flash', { hasText: 'in force' }).waitFor({ timeout: patience });
  assert.ok(sum() < before, 'less is assigned');
  await tab.getByRole('link', { name: 'Undo …' }).first().click();
  await tab.locator('textarea[name=reason]').fill('it was only tried');
  await tab.getByRole('button', { name: 'Undo the wave' }).click();
  await tab.locator('.flash', { hasText: 'undone' }).waitFor({ timeout: patience });
  assert.equal(sum(), before, 'all is as it was');
}

await step('a table is sorted by the head of a column, and stays sorted', async tab => {
  await go(tab, '/teams');
  const column = async () => (await tab.locator('main table').first().locator('tbody tr td:nth-child(4)').allInnerTexts()).map(figure);
  const head = tab.locator('main table').first().locator('th:nth-child(4)');
  const sorted = way => tab.locator('main table').first().locator(`th:nth-child(4)[aria-sort=${way}]`).waitFor({ timeout: patience });
  await head.locator('button.sort').click();
  await sorted('ascending');
  const up = await column();
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  await head.locator('button.sort').click();
  await sorted('descending');
  await tab.evaluate(() => htmx.trigger(document.getElementById('main'), 'changed'));
  await tab.waitForTimeout(1500);
  const down = await column();
  assert.deepEqual(down, [...down].sort((a, b) => b - a), 'after the page has changed');
});

await step('heads of tables that can be sorted stand on one line', async tab => {
  for (const path of ['/teams', '/workloads', '/', '/coming']) {
    await go(tab, path);
    await settled(tab);
    await tab.locator('button.sort').first().waitFor({ timeout: patience });
    const apart = await tab.locator('table.sortable thead tr').evaluateAll(heads => heads.flatMap(head => {
      const shown = Array.from(head.cells).filter(c => c.textContent.trim() && c.getClientRects().length).map(c => {
        const words = document.createRange();
        words.selectNodeContents(c);
        return { name: c.innerText, bottom: Math.max(...Array.from(c.childNodes).filter(n => !(n.classList && n.classList.contains('sort')) && n.textContent.trim()).map(n => { words.selectNodeContents(n); return words.getBoundingClientRect().bottom; })) };
      });
      const low = Math.max(...shown.map(c => c.bottom));
      return shown.filter(c => low - c.bottom > 4).map(c => c.name);
    }));
    assert.deepEqual(apart, [], path);
  }
});

await step('a term explains itself, by mouse and by key', async tab => {
  await go(tab, '/teams');
  const term = tab.locator('abbr[data-term=backed]').first();
  await term.focus();
  assert.match(await tab.locator('#meaning').innerText(), /^backed: the part of a grant/);
  await tab.keyboard.press('Escape');
  assert.ok(await tab.locator('#meaning').isHidden());
  await term.hover();
  assert.ok(await tab.locator('#meaning').isVisible());
});

await step('an operator opens an incident, is shown first what that writes, and closes it', async tab => {
  const name = 'browser-' + Date.now();
  await go(tab, '/incidents');
  await tab.getByRole('link', { name: 'Open an incident …' }).click();
  await tab.locator('#ask input[name=name]').fill(name);
  await tab.locator('#ask select[name=severity]').selectOption('sev4');
  await tab.locator('#ask input[name=owner]').fill('ada');
  await tab.getByRole('button', { name: 'Show what would change' }).click();
  await tab.locator('#h-would').waitFor();
  assert.ok(!cli('incident', 'list').includes(name), 'trying it opens nothing');
  await tab.locator('#confirm textarea').fill('tried in a browser');
  await tab.getByRole('button', { name: 'Open the incident' }).click();
  await tab.locator('h1', { hasText: 'Incident ' + name }).waitFor({ timeout: patience });
  assert.match(await tab.locator('main').innerText(), /Reason: tried in a browser/);
  await tab.getByRole('link', { name: 'Close …' }).click();
  await tab.getByRole('button', { name: 'Show what would change' }).click();
  await tab.locator('#confirm textarea').fill('it is over');
  await tab.getByRole('button', { name: 'Close the incident' }).click();
  await tab.locator('.lead', { hasText: 'closed' }).waitFor({ timeout: patience });
});

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

await done();
