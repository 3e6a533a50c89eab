// Pictures of pages, for the README and for looking at: node shots.mjs BASE FOLDER NAME=PATH...
// Each page is opened in light, dark and narrow, as NAME-light.png and so on; with NAME=PATH:light in that one only, as NAME.png. :print is paper.
// TALL=900 cuts pictures off below so many pixels, for documents. SLICE=1800 cuts long ones into pieces of so many, NAME-light-1.png and so
// on, so that they can be looked at one by one. TOKEN=... signs in first. A part that is not there after PATIENCE seconds (60) is named.
// TIMES=1 says how long the parts of each page took.
import { chromium } from 'playwright-core';

const patience = Number(process.env.PATIENCE || 60) * 1000; // how long parts that come later may take

const [base, folder, ...pages] = process.argv.slice(2);
const looks = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  print: { viewport: { width: 1000, height: 1400 }, colorScheme: 'light' },
  narrow: { viewport: { width: 375, height: 740 }, colorScheme: 'light', isMobile: false },
};
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
for (const [look, options] of Object.entries(looks)) {
  const context = await browser.newContext(options);
  if (process.env.TOKEN) await context.addCookies([{ name: 'muster_token', value: process.env.TOKEN, url: base }]);
  const tab = await context.newPage();
  for (const one of pages) {
    const [, name, address, only] = one.match(/^([^=]+)=(.*?)(?::(light|dark|narrow|print))?$/);
    if (only ? only !== look : look === 'print') continue;
    if (look === 'print') await tab.emulateMedia({ media: 'print' });
    await tab.goto(base + address, { waitUntil: 'load' });
    const began = Date.now();
    await tab.waitForFunction(() => !document.querySelector('[data-loads], [data-coming]'), null, { timeout: patience }).catch(() => {});
    const missing = await tab.$$eval('[data-loads], [data-coming]', (parts) => parts.map((p) => p.id || 'the page'));
    if (missing.length) console.log(`${name} ${look}: not there after ${Math.round((Date.now() - began) / 1000)} s: ${missing.join(', ')}`);
    if (process.env.TIMES) console.log(`${name} ${look}: ${Date.now() - began} ms`);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) console.log(`${name} ${look}: ${wide} px too wide`);
    const stem = `${folder}/${only && only !== 'print' ? name : name + '-' + look}`;
    const tall = Math.min(Number(process.env.TALL || 1e6), await tab.evaluate(() => document.documentElement.scrollHeight)), slice = Number(process.env.SLICE || tall);
    await tab.setViewportSize({ width: options.viewport.width, height: Math.min(16000, Math.max(options.viewport.height, tall)) }); // what sticks to the screen's edge stands where it belongs
    for (let y = 0, n = 1; y < tall; y += slice, n++) {
      const path = tall > slice ? `${stem}-${n}.png` : stem + '.png';
      await tab.screenshot({ path, fullPage: true, clip: { x: 0, y, width: options.viewport.width, height: Math.min(slice, tall - y) } });
    }
    await tab.setViewportSize(options.viewport);
  }
  await context.close();
}
await browser.close();
