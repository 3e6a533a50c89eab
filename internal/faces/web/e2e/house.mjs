// What the browser tests have in common: a browser, tabs that note every complaint, and
// the command line that reaches the same server.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

export const [base, muster, only = ''] = process.argv.slice(2);
export const host = new URL(base).host;
// Nothing here is timed: what does not come within this is not coming.
export const patience = 120000;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const cli = (...args) => execFileSync(muster, [...args, '--server', host], { encoding: 'utf8' });
export const json = (...args) => JSON.parse(cli(...args, '-o', 'json'));
// shell runs a command as a page shows it: muster is the one that is tried, on this server.
export const shell = line => execFileSync('sh', ['-c', `muster() { "${muster}" "$@"; }; ${line}`], { encoding: 'utf8', env: { ...process.env, MUSTER_SERVER: host } });

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, timeout: patience,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const complaints = [];
let failed = 0, tried = 0;

async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  const tab = await context.newPage();
  tab.on('console', m => { if (m.type() === 'error' && !/Failed to load resource/.test(m.text())) complaints.push(`console: ${m.text()} at ${tab.url()}`); });
  tab.on('pageerror', e => complaints.push(`error: ${e.message} at ${tab.url()}`));
  tab.on('request', r => { const u = new URL(r.url()); if (u.host !== host && u.protocol !== 'data:') complaints.push(`request to ${u.host}`); });
  return tab;
}

// A step that fails is tried once more from the beginning: the demo lives on while it is watched, and a loaded machine
// may be late. What failed at first is printed even so; what fails twice fails the run. It has a tab of its own with the
// options of the browser, or goes on in the tab of oneTab.
export async function step(name, fn, options) {
  if (!name.includes(only)) return;
  tried++;
  const first = await attempt(fn, options);
  if (!first) return console.log(`ok    ${name}`);
  console.log(`AGAIN ${name}\n      ${first}`);
  const second = await attempt(fn, options);
  if (!second) return console.log(`ok    ${name} (at the second attempt)`);
  failed++;
  console.log(`FAIL  ${name}\n      ${second}`);
}

// oneTab is a tab for many steps, one after the other, as readers go from page to page: to open a tab costs as much as a
// page. It is opened when the first of them begins, and anew after a step that failed. Close it after the last.
export function oneTab(options) {
  let tab;
  return {
    take: async () => (tab ??= await open(options)),
    close: async () => { const was = tab; tab = undefined; await was?.context().close(); },
  };
}

// attempt takes a tab for one step and says what went wrong; nothing where nothing did.
async function attempt(fn, options) {
  const own = !options?.take, place = own ? oneTab(options) : options;
  const tab = await place.take();
  const before = complaints.length;
  let wrong = '';
  try {
    await fn(tab);
    assert.deepEqual(complaints.slice(before), [], 'nothing is complained of');
  } catch (e) {
    if (process.env.SHOT) await tab.screenshot({ path: process.env.SHOT, fullPage: true }).catch(() => {});
    wrong = String(e.message || e).split('\n').slice(0, 12).join('\n      ') || 'failed without a word';
  }
  if (own || wrong) await place.close();
  return wrong;
}

// done ends the run: exit code 1 if anything failed.
export async function done() {
  await browser.close();
  console.log(failed ? `${failed} of ${tried} failed` : `all ${tried} passed`);
  process.exit(failed ? 1 : 0);
}

export const settled = tab => tab.waitForFunction(() => !document.querySelector('[data-loads], [data-coming]'), null, { timeout: patience });
const arrived = tab => tab.waitForFunction(() => !document.querySelector('[data-coming]'), null, { timeout: patience });
export const go = async (tab, path) => { const r = await tab.goto(base + path, { waitUntil: 'load' }); await arrived(tab); return r; };
export const figure = text => Number(text.replace(/[,\s]/g, '').replace('−', '-'));

// accessible asks axe; only what is serious or worse fails.
export async function accessible(tab, what) {
  // the browser's own channel, so that the page's policy stays as it is
  await tab.evaluate(axe + ';0');
  const found = await tab.evaluate(() => axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  const bad = found.violations.filter(v => v.impact === 'serious' || v.impact === 'critical');
  assert.deepEqual(bad.map(v => `${v.id}: ${v.nodes.length} × ${v.nodes[0].html.slice(0, 160)} ${v.nodes[0].failureSummary.split('\n')[1]}`), [], what);
}

const looks = [
  ['opens, is accessible, and names its command', {}, async (tab, name, answer) => {
    assert.equal(answer.status(), 200);
    assert.ok(await tab.locator('h1').innerText());
    if (!['words', 'style'].includes(name)) assert.match(await tab.locator('main > .same code').innerText(), /^muster /);
  }],
  ['dark, accessible too', { colorScheme: 'dark' }, async () => {}],
  ["a phone's width is enough, and accessible", { viewport: { width: 375, height: 740 } }, async tab => {
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the screen');
  }],
];

// looked opens pages in light, dark and narrow: each must be accessible, name its command and be no wider than the screen.
export async function looked(pages) {
  for (const [look, options, holds] of looks) {
    const one = oneTab(options);
    for (const [name, path] of pages) {
      await step(`${name}: ${look}`, async tab => {
        const answer = await go(tab, path);
        await settled(tab);
        await holds(tab, name, answer);
        await accessible(tab, name);
      }, one);
    }
    await one.close();
  }
}
