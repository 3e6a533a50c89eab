// What pages do in the browser: stay live, look back, change colours, copy a
// command. Everything else is HTML; without this file pages still answer.
'use strict';

// Live: the server says that something changed, and htmx fetches the page's
// changed parts. A page that nobody looks at listens to nothing.
(function () {
  const live = document.getElementById('live');
  if (!live || !live.hasAttribute('data-live')) return;
  let source = null, heard = Date.now(), late = false, lost = false;

  // Parts that take long to work out are asked for less often: data-every says after how many seconds.
  const asked = {}, due = {};

  function refresh() {
    const main = document.getElementById('main');
    if (main) htmx.trigger(main, 'changed');
    document.querySelectorAll('[data-every]').forEach(function (part) { again(part.id, part.dataset.every * 1000); });
  }

  function again(id, every) {
    asked[id] = asked[id] || Date.now(); // it has just come
    const wait = asked[id] + every - Date.now();
    if (wait > 0) {
      if (!due[id]) due[id] = setTimeout(function () { due[id] = 0; again(id, every); }, wait);
      return;
    }
    const part = document.getElementById(id);
    if (!part || !source) return;
    asked[id] = Date.now();
    htmx.trigger(part, 'again');
  }

  function say(text) {
    const state = document.getElementById('state');
    if (!state) return;
    state.classList.toggle('lost', text !== '');
    const says = state.querySelector('.says');
    if (says && text) says.textContent = text;
  }

  function mark() {
    heard = Date.now();
    if (lost) { lost = false; late = true; }
    if (late) { late = false; refresh(); }
  }

  function open() {
    if (source) return;
    source = new EventSource('/live');
    source.addEventListener('hello', mark);
    source.addEventListener('alive', mark);
    source.addEventListener('changed', function () { heard = Date.now(); refresh(); });
    source.onerror = losing;
  }

  function losing() {
    lost = true;
    const state = document.getElementById('state');
    say('No connection: figures as of ' + ((state && state.dataset.at) || 'before'));
    if (source && source.readyState === EventSource.CLOSED) { source = null; setTimeout(open, 3000); }
  }

  function close() { if (source) { source.close(); source = null; } }

  document.addEventListener('visibilitychange', function () {
    if (document.hidden) { close(); late = true; } else { open(); }
  });
  addEventListener('pagehide', close);
  setInterval(function () { if (source && Date.now() - heard > 25000) losing(); }, 5000);
  document.addEventListener('htmx:sendError', losing);
  if (!document.hidden) open();
})();

// A page whose figures come later says with them which entry of the navigation it belongs to.
document.addEventListener('htmx:afterSettle', function () {
  const main = document.getElementById('main');
  document.querySelectorAll('.bar nav a').forEach(function (entry) {
    if (main && main.dataset.nav && entry.dataset.nav === main.dataset.nav) entry.setAttribute('aria-current', 'page');
    else entry.removeAttribute('aria-current');
  });
});

// What a reader opened, typed or chose stays when the page changes around it.
if (window.Idiomorph) {
  Idiomorph.defaults.ignoreActiveValue = true;
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = function (name, node) {
    if (name === 'open' && node.nodeName === 'DETAILS') return false;
    return true;
  };
  Idiomorph.defaults.callbacks.beforeNodeRemoved = function (node) {
    return !(node.classList && node.classList.contains('sort'));
  };
  Idiomorph.defaults.callbacks.beforeNodeMorphed = function (old, fresh) {
    if (old.nodeType === 1 && old.hasAttribute('data-still')) return false;
    if (old.nodeType === 1 && old.hasAttribute('data-loaded') && fresh.nodeType === 1 && (fresh.hasAttribute('data-loads') || fresh.hasAttribute('data-opens'))) return false;
    return true;
  };
}

// The slider: a moment of the log; at its right end, live.
(function () {
  const slider = document.getElementById('slider'), field = document.getElementById('as-of');
  if (!slider) return;
  const from = Date.parse(slider.dataset.from), to = Date.parse(slider.dataset.to);
  function moment() { return new Date(from + (to - from) * slider.value / 1000); }
  slider.addEventListener('input', function () {
    field.value = moment().toISOString().slice(0, 19).replace('T', ' ');
    slider.setAttribute('aria-valuetext', moment().toUTCString());
  });
  // Keys take many small steps: the page goes when none has come for a while, and the slider keeps the focus over it.
  let keyed = false, going = 0;
  slider.addEventListener('keydown', function (e) { if (e.key !== 'Tab') { keyed = true; clearTimeout(going); } });
  slider.addEventListener('pointerdown', function () { keyed = false; clearTimeout(going); });
  slider.addEventListener('change', function () {
    clearTimeout(going);
    if (keyed) going = setTimeout(go, 600); else go();
  });
  slider.addEventListener('keyup', function () {
    if (keyed && going) { clearTimeout(going); going = setTimeout(go, 600); }
  });
  function go() {
    going = 0;
    const url = new URL(location.href);
    if (slider.value === slider.min) url.searchParams.set('as-of', slider.dataset.from);
    else if (slider.value === slider.max) url.searchParams.delete('as-of');
    else url.searchParams.set('as-of', (to - from) / 1000 < 60000 ? moment().toISOString() : moment().toISOString().replace(/\.\d+Z$/, 'Z')); // a step that is cut may be none
    if (keyed && document.activeElement === slider) sessionStorage.setItem('muster-slider', url.pathname);
    location.assign(url);
  }
  if (sessionStorage.getItem('muster-slider') === location.pathname) slider.focus({ preventScroll: true });
  sessionStorage.removeItem('muster-slider');
})();

// A slider says its value while it moves, and asks when it stands.
document.addEventListener('input', function (e) {
  const shows = e.target.dataset && e.target.dataset.shows;
  if (shows) document.getElementById(shows).textContent = (e.target.value / 10).toFixed(1) + ' %';
});
document.addEventListener('change', function (e) {
  if (e.target.dataset && e.target.dataset.shows) e.target.form.requestSubmit();
});

// Figures and terms say on hover and on focus what they mean, in a box beside them.
(function () {
  const box = document.createElement('div');
  box.id = 'meaning';
  box.setAttribute('role', 'tooltip');
  box.hidden = true;
  document.body.append(box);
  let of = null;

  function meaning(e) {
    const word = e.target.closest && e.target.closest('[data-w], [data-term]');
    return word && window.musterWords ? word : null;
  }
  function show(word) {
    of = word;
    word.removeAttribute('title'); // the box says it
    box.textContent = window.musterWords[word.dataset.w || word.dataset.term] || word.dataset.w || word.dataset.term;
    box.hidden = false;
    const at = word.getBoundingClientRect(), wide = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(at.left, wide - box.offsetWidth - 8));
    const above = at.bottom + box.offsetHeight + 8 > innerHeight && at.top > box.offsetHeight + 8;
    box.style.left = left + scrollX + 'px';
    box.style.top = (above ? at.top - box.offsetHeight - 4 : at.bottom + 4) + scrollY + 'px';
    word.setAttribute('aria-describedby', 'meaning');
  }
  function hide() {
    if (of) of.removeAttribute('aria-describedby');
    of = null;
    box.hidden = true;
  }
  ['mouseover', 'focusin'].forEach(function (kind) {
    document.addEventListener(kind, function (e) {
      const word = meaning(e);
      if (word) show(word); else if (of && e.target !== box) hide();
    });
  });
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, { passive: true });
  document.addEventListener('keydown', function (e) { if (e.key === 'Escape') hide(); });
})();

// Tables are sorted by the head of a column: once, the other way round, as they came. What was chosen stays when the
// page changes around it.
(function () {
  const chosen = {};

  function nameOf(table) { return location.pathname + ' ' + (table.parentElement.getAttribute('aria-label') || ''); }
  function value(row, column) {
    const text = row.cells[column] ? row.cells[column].textContent.trim() : '';
    const figure = text.replace(/,/g, '').replace('−', '-').match(/^-?\d+(\.\d+)?(?=\s*(%|$))/);
    return figure ? Number(figure[0]) : text;
  }
  function compare(a, b) {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return a.localeCompare(b, 'en', { numeric: true });
  }
  function sort(table) {
    const by = chosen[nameOf(table)], body = table.tBodies[0];
    if (!body) return;
    const rows = Array.from(body.rows);
    rows.forEach(function (row, i) { if (row.dataset.came === undefined) row.dataset.came = i; });
    const came = function (a, b) { return a.dataset.came - b.dataset.came; };
    rows.sort(by ? function (a, b) { return by.way * compare(value(a, by.column), value(b, by.column)) || came(a, b); } : came);
    if (rows.some(function (row, i) { return row !== body.rows[i]; })) body.append(...rows);
    Array.from(table.tHead.rows[0].cells, function (head, i) {
      if (by && by.column === i) head.setAttribute('aria-sort', by.way > 0 ? 'ascending' : 'descending'); else head.removeAttribute('aria-sort');
    });
  }
  function prepare() {
    document.querySelectorAll('table.sortable').forEach(function (table) {
      if (!table.tBodies[0] || table.tBodies[0].rows.length < 2) return;
      Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
        if (!head.textContent.trim() || head.querySelector('button.sort')) return;
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'sort';
        button.setAttribute('aria-label', 'Sort by ' + head.textContent.trim());
        button.addEventListener('click', function () {
          const name = nameOf(table), by = chosen[name];
          if (!by || by.column !== column) chosen[name] = { column: column, way: 1 };
          else if (by.way > 0) by.way = -1;
          else delete chosen[name];
          sort(table);
        });
        head.append(button);
      });
      if (chosen[nameOf(table)]) sort(table);
    });
  }
  // At the swap, not only once it has settled: for the moments between, the table would stand unsorted.
  document.addEventListener('htmx:afterSwap', prepare);
  document.addEventListener('htmx:afterSettle', prepare);
  prepare();
})();

// Colours: as the system, light, dark.
(function () {
  const button = document.getElementById('theme'), root = document.documentElement;
  if (!button) return;
  function show() {
    const is = root.dataset.theme || 'system';
    button.setAttribute('aria-label', 'Colours: ' + (is === 'system' ? 'as the system' : is));
    button.title = button.getAttribute('aria-label');
  }
  button.addEventListener('click', function () {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const order = dark ? ['', 'light', 'dark'] : ['', 'dark', 'light'];
    const next = order[(order.indexOf(root.dataset.theme || '') + 1) % 3];
    root.dataset.theme = next;
    document.cookie = 'muster_theme=' + next + '; path=/; max-age=' + (next ? 31536000 : 0) + '; samesite=strict';
    show();
  });
  show();
})();

// Figures that do not come are not waited for in silence.
document.addEventListener('htmx:responseError', function () {
  document.querySelectorAll('[data-coming]').forEach(function (d) { d.textContent = 'No answer in time. Load the page again.'; });
});

// Commands are copied whole; forms are sent once.
document.addEventListener('click', function (e) {
  const button = e.target.closest && e.target.closest('[data-copy]');
  if (!button) return;
  const lines = Array.from(button.parentElement.querySelectorAll('code'), function (c) { return c.textContent; });
  if (navigator.clipboard) navigator.clipboard.writeText(lines.join('\n'));
  button.textContent = 'Copied';
  setTimeout(function () { button.textContent = 'Copy'; }, 1500);
});
document.addEventListener('submit', function (e) {
  if (e.target.method !== 'post') return;
  if (e.target.dataset.sent) { e.preventDefault(); return; }
  e.target.dataset.sent = '1';
  e.target.querySelectorAll('button').forEach(function (b) { b.setAttribute('aria-disabled', 'true'); });
});
addEventListener('pageshow', function () { document.querySelectorAll('form[data-sent]').forEach(function (f) { delete f.dataset.sent; }); });
