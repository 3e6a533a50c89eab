// Signs in at a real OpenID Connect provider, as people would: by the pages in a browser, and
// by the command line with a code. It starts the provider, and a server of the binary it is given.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Provider } from 'oidc-provider';
import { chromium } from 'playwright-core';

const [muster] = process.argv.slice(2);
const patience = 60000;
const home = mkdtempSync(join(tmpdir(), 'muster-signin-'));
const env = { ...process.env, HOME: home, XDG_STATE_HOME: home };

// The provider is of another site than the server, as in real life: a browser keeps their cookies apart.
const users = new Map([['ada', ['oak']], ['bo', []], ['augusta.ada.king-noel', []]]);
const front = createServer();
await new Promise(done => front.listen(0, 'localhost', done));
const issuer = `http://localhost:${front.address().port}`;

// key makes a key to sign with.
const key = id => ({ ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), kid: id, alg: 'RS256', use: 'sig' });

// provide has the provider begin anew, with a key of its own.
function provide(callback, id) {
  const provider = new Provider(issuer, {
    clients: [{
      client_id: 'muster', token_endpoint_auth_method: 'none', redirect_uris: [callback], application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'], response_types: ['code'],
    }],
    jwks: { keys: [key(id)] },
    cookies: { keys: ['of a test'] },
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'], profile: ['name'] },
    conformIdTokenClaims: false,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    pkce: { required: () => true },
    findAccount: async (_, id) => users.has(id) ? { accountId: id, claims: async () => ({ sub: id, name: id, email: `${id}@example.com`, email_verified: true, groups: users.get(id) }) } : undefined,
  });
  front.removeAllListeners('request');
  front.on('request', provider.callback());
}

// up starts a server, and says where it listens.
function up() {
  const server = spawn(muster, ['up', '--demo', '--listen', '127.0.0.1:0', '--data', join(home, 'data'), '--oidc-issuer', issuer, '--oidc-client-id', 'muster', '--log-level', 'info'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', data => {
      const at = /listens on (127\.0\.0\.1:\d+)/.exec(said += data);
      if (at && /Ctrl-C/.test(said)) resolve([server, at[1]]);
    });
    server.stderr.on('data', data => { said += data; if (process.env.LOUD) process.stderr.write(data); });
    server.on('exit', () => reject(new Error(`the server ended:\n${said}`)));
  });
}

// command runs one of the command line, and hands each line that it says to a function.
function command(args, heard = () => {}) {
  const child = spawn(muster, [...args, '--server', host], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise(resolve => {
    let said = '';
    for (const out of [child.stdout, child.stderr]) out.on('data', data => { said += data; heard(said); });
    child.on('exit', code => resolve({ code, said }));
  });
}

const [server, host] = await up();
const base = `http://${host}`;
provide(`${base}/login/callback`, 'one');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, timeout: patience,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let failed = 0;

// step tries one thing in a browser that was never here before.
async function step(name, fn) {
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  const tab = await context.newPage();
  try {
    await fn(tab, context);
    console.log(`ok    ${name}`);
  } catch (e) {
    failed++;
    console.log(`FAIL  ${name} at ${tab.url()}\n      ${String(e.stack || e).split('\n').slice(0, 12).join('\n      ')}\n${(await tab.locator('body').innerText().catch(() => '')).slice(0, 600)}`);
  } finally {
    await context.close();
  }
}

const unknown = async tab => assert.match(await tab.locator('h1').innerText(), /Who are you/);
const reads = async (tab, who) => tab.locator('.who', { hasText: `${who}@example.com` }).waitFor();
const session = async context => (await context.cookies(base)).find(c => c.name === 'muster_sign_in');

// enter says who one is, at the provider.
async function enter(tab, who) {
  await tab.locator('input[name=login]').fill(who);
  await tab.locator('input[name=password]').fill('any');
  await tab.locator('button[type=submit]').click();
  await tab.locator('button[type=submit]', { hasText: /continue/i }).click();
}

async function signIn(tab, who, path = '/') {
  await tab.goto(base + path);
  await unknown(tab);
  await tab.locator('#login').click();
  await enter(tab, who);
  await reads(tab, who);
}

await step('a reader signs in, comes back to the page, and signs out', async (tab, context) => {
  await signIn(tab, 'ada', '/queue?target=flex');
  assert.equal(tab.url(), `${base}/queue?target=flex`);
  const cookie = await session(context);
  assert.ok(cookie.httpOnly && cookie.sameSite === 'Lax' && !cookie.value.includes('ada'), JSON.stringify(cookie));
  assert.equal(await tab.evaluate(() => document.cookie.includes('muster_sign_in')), false, 'a script reads the session');
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await unknown(tab);
  assert.equal(await session(context), undefined);
  await context.addCookies([cookie]);
  await tab.goto(base);
  await unknown(tab);
});

await step('beside a long name no page is cut off from the navigation', async tab => {
  await signIn(tab, 'augusta.ada.king-noel');
  for (const width of [1600, 1280, 1100, 375]) {
    await tab.setViewportSize({ width, height: 800 });
    const cut = await tab.$$eval('.bar nav a', (all, width) => all.filter(a => {
      const is = a.getBoundingClientRect(), shown = a.closest('ul').getBoundingClientRect();
      return is.left < shown.left || is.right > shown.right + 1 || is.right > width;
    }).map(a => a.innerText), width);
    assert.deepEqual(cut, [], `${width} px wide`);
  }
});

await step('what was changed in a browser lets no reader in', async (tab, context) => {
  await signIn(tab, 'bo');
  const cookie = await session(context);
  await context.addCookies([{ ...cookie, value: cookie.value.slice(0, 40) + 'AAAA' + cookie.value.slice(44) }]);
  await tab.goto(base);
  await unknown(tab);
});

await step('an answer of the provider serves once, and in one browser', async (tab, context) => {
  let answer = '';
  tab.on('request', r => { if (r.url().startsWith(`${base}/login/callback`)) answer = r.url(); });
  await signIn(tab, 'ada');
  assert.ok(answer);
  await context.clearCookies();
  const again = await tab.goto(answer);
  assert.equal(again.status(), 400);
  assert.match(await tab.locator('main').innerText(), /You are not signed in/);
  assert.equal(await session(context), undefined);
});

await step('who refuses at the provider is told so', async tab => {
  await tab.goto(`${base}/login`);
  await tab.getByRole('link', { name: /cancel/i }).click();
  await tab.locator('main', { hasText: 'The provider refused' }).or(tab.locator('main', { hasText: 'the provider refused' })).waitFor();
});

await step('the command line signs in with a code', async tab => {
  let opened;
  const { code, said } = await command(['login', '--device'], async said => {
    const words = /Open (\S+) and type (\S+)/.exec(said);
    if (!words || opened) return;
    opened = (async () => {
      await tab.goto(words[1]);
      await tab.locator('input[name=user_code]').fill(words[2]);
      await tab.locator('button[type=submit]').click();
      await tab.locator('button[type=submit]', { hasText: /continue/i }).click();
      await enter(tab, 'ada');
    })();
  });
  await opened;
  assert.equal(code, 0, said);
  const status = await command(['status']);
  assert.match(status.said, /ada@example\.com/);
});

await step('a session goes on while the provider is down, and no new one begins', async (tab, context) => {
  await signIn(tab, 'ada');
  front.removeAllListeners('request');
  front.on('request', (_, answer) => { answer.statusCode = 502; answer.end('out of service'); });
  await tab.goto(`${base}/teams`);
  await reads(tab, 'ada');
  const other = await context.browser().newContext();
  try {
    const page = await other.newPage();
    await page.goto(`${base}/login`);
    await page.goto(base);
    await unknown(page);
  } finally {
    await other.close();
  }
});

provide(`${base}/login/callback`, 'two');

await step('a provider with another key lets readers in, and takes one away', async tab => {
  await signIn(tab, 'bo');
  users.delete('bo');
  const end = Date.now() + 2 * patience; // it is asked within a minute
  while (await tab.locator('h1', { hasText: 'Who are you' }).count() === 0) {
    assert.ok(Date.now() < end, 'who was removed reads on');
    await tab.waitForTimeout(2000);
    await tab.goto(base);
  }
});

await browser.close();
const ended = new Promise(done => { server.removeAllListeners('exit'); server.on('exit', done); });
server.kill('SIGINT');
await ended;
front.closeAllConnections();
front.close();
rmSync(home, { recursive: true, force: true });
console.log(failed ? `${failed} failed` : 'all passed');
process.exit(failed ? 1 : 0);
