// Pictures of pages, for the README and for looking at: node shots.mjs BASE FOLDER NAME=PATH...
// Each page is opened in light, dark and narrow, as NAME-light.png and so on; with NAME=PATH:light in that one only, as NAME.png. :print is paper.
// TALL=900 cuts pictures off below so many pixels, for documents.
import { chromium } from 'playwright-core';

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
  const tab = await context.newPage();
  for (const one of pages) {
    const [, name, address, only] = one.match(/^([^=]+)=(.*?)(?::(light|dark|narrow|print))?$/);
    if (only ? only !== look : look === 'print') continue;
    if (look === 'print') await tab.emulateMedia({ media: 'print' });
    await tab.goto(base + address, { waitUntil: 'load' });
    await tab.waitForFunction(() => !document.querySelector('[data-loads], [data-coming]'), null, { timeout: 15000 }).catch(() => {});
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) console.log(`${name} ${look}: ${wide} px too wide`);
    const path = `${folder}/${only && only !== 'print' ? name : name + '-' + look}.png`;
    const tall = Math.min(Number(process.env.TALL || 1e6), await tab.evaluate(() => document.documentElement.scrollHeight));
    await tab.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width: options.viewport.width, height: tall } });
  }
  await context.close();
}
await browser.close();
