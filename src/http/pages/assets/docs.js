// Swagger UI draws light unless its root has this class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// While something is filtered, the tags that are left are open: what fits would be hidden in them otherwise.
const openWhileFiltered = () => ({
  statePlugins: {
    layout: {
      wrapActions: {
        updateFilter:
          (update, { layoutActions, specSelectors }) =>
          (phrase) => {
            const tags = specSelectors.taggedOperations().keySeq().toArray();
            for (const tag of tags) layoutActions.show(['operations-tag', tag], phrase !== '');
            return update(phrase);
          },
      },
    },
  },
});

// The browser sends the cookie of a session by itself; entered here it would lie in local storage.
const keysAlone = () => ({
  statePlugins: {
    auth: {
      wrapSelectors: {
        definitionsToAuthorize:
          (definitions) =>
          (...state) =>
            definitions(...state).filter((definition) => !definition.has('session')),
      },
    },
  },
});

const calls = document.getElementById('calls');
const swagger = document.getElementById('swagger-ui');

// The page has the calls as a list. It gives way once swagger-ui shows the first of them, and a link to one of them is followed then.
new MutationObserver((_, observer) => {
  if (swagger.querySelector('.opblock-tag') === null) return;
  observer.disconnect();
  // The page has its own `main` around this one.
  swagger.querySelector('main').setAttribute('role', 'none');
  calls.remove();
  swagger.hidden = false;
  if (location.hash !== '') globalThis.ui.layoutActions.parseDeepLinkHash(location.hash);
}).observe(swagger, { childList: true, subtree: true });

globalThis.ui = globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  plugins: [openWhileFiltered, keysAlone],
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  // Otherwise the document would be sent to a validator on the internet.
  validatorUrl: null,
});
