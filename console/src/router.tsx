import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { NotFoundPage } from './pages/not-found.tsx';
import { PlaygroundPage } from './pages/playground.tsx';
import { Shell } from './shell/shell.tsx';
import { ErrorState } from './ui/states.tsx';

/** A path of this server: not `//host` or `/\\host`, which a browser takes for another one. */
const OWN_PATH = /^\/(?![/\\])/;

const root = createRootRoute({
  notFoundComponent: NotFoundPage,
  errorComponent: ({ error, reset }) => <ErrorState error={error} onRetry={reset} />,
});
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>) => ({
    ...(typeof search.next === 'string' && OWN_PATH.test(search.next) && { next: search.next }),
    ...(search.ended === true && { ended: true }),
  }),
  component: lazyRouteComponent(() => import('./pages/login.tsx'), 'LoginPage'),
});
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => shell, path, component });

const playground = createRoute({ getParentRoute: () => shell, path: '/', component: PlaygroundPage });

const routeTree = root.addChildren([
  login,
  shell.addChildren([
    playground,
    page(
      '/dialogue',
      lazyRouteComponent(() => import('./pages/dialogue.tsx'), 'DialoguePage'),
    ),
    page(
      '/voices',
      lazyRouteComponent(() => import('./pages/voices.tsx'), 'VoicesPage'),
    ),
    page(
      '/voices/$id',
      lazyRouteComponent(() => import('./pages/voice.tsx'), 'VoicePage'),
    ),
    page(
      '/clone',
      lazyRouteComponent(() => import('./pages/clone.tsx'), 'ClonePage'),
    ),
    page(
      '/transcribe',
      lazyRouteComponent(() => import('./pages/transcribe.tsx'), 'TranscribePage'),
    ),
    page(
      '/transcribe/$id',
      lazyRouteComponent(() => import('./pages/transcribe.tsx'), 'JobPage'),
    ),
    page(
      '/talk',
      lazyRouteComponent(() => import('./pages/talk.tsx'), 'TalkPage'),
    ),
    page(
      '/dictionaries',
      lazyRouteComponent(() => import('./pages/dictionaries.tsx'), 'DictionariesPage'),
    ),
    page(
      '/dictionaries/$id',
      lazyRouteComponent(() => import('./pages/dictionary.tsx'), 'DictionaryPage'),
    ),
    page(
      '/keys',
      lazyRouteComponent(() => import('./pages/keys.tsx'), 'KeysPage'),
    ),
    page(
      '/usage',
      lazyRouteComponent(() => import('./pages/usage.tsx'), 'UsagePage'),
    ),
    page(
      '/sessions',
      lazyRouteComponent(() => import('./pages/sessions.tsx'), 'SessionsPage'),
    ),
    page(
      '/admin',
      lazyRouteComponent(() => import('./pages/admin.tsx'), 'AdminPage'),
    ),
    page(
      '/admin/$section',
      lazyRouteComponent(() => import('./pages/admin.tsx'), 'AdminPage'),
    ),
  ]),
]);

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
