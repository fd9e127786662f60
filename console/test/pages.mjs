/** The pages of the console, without those of one voice or dictionary. */
export const PAGES = [
  '/',
  '/dialogue',
  '/voices',
  '/clone',
  '/transcribe',
  '/talk',
  '/dictionaries',
  '/keys',
  '/usage',
  '/sessions',
  '/admin/accounts',
  '/admin/health',
  '/admin/models',
  '/admin/usage',
  '/admin/prices',
  '/admin/ledger',
  '/admin/audit',
];

/** The sizes at which every page is tested and drawn. */
export const VIEWPORTS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
