// Pictures of pages, for the README and for looking at: node shots.mjs BASE FOLDER NAME=PATH...
// Each page is opened in light, dark and narrow; with NAME=PATH:light in that one only.
import { chromium } from 'playwright-core';

const [base, folder, ...pages] = process.argv.slice(2);
const looks = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
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
    const [, name, path, only] = one.match(/^([^=]+)=(.*?)(?::(light|dark|narrow))?$/);
    if (only && only !== look) continue;
    await tab.goto(base + path, { waitUntil: 'load' });
    await tab.waitForFunction(() => !document.querySelector('[data-loads], [data-coming]'), null, { timeout: 15000 }).catch(() => {});
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) console.log(`${name} ${look}: ${wide} px too wide`);
    await tab.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true });
  }
  await context.close();
}
await browser.close();
