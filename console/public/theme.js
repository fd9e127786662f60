// Runs before the first paint, so that a stored theme does not flash.
(() => {
  let stored = null;
  try {
    stored = localStorage.getItem('mynah.theme');
  } catch {
    // Storage is disabled; the theme of the system applies.
  }
  const isDark =
    stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
