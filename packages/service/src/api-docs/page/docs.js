// Starts Swagger UI, and adds what it lacks.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

/** The address by which the browser reached the service, which is right behind any proxy. */
const here = new URL('.', location.href).href.replace(/\/$/, '');
const serverHere = (server) =>
  server.url.startsWith('/') ? { ...server, url: (here + server.url).replace(/\/$/, '') } : server;
const withServersHere = (update) => (contract) =>
  update({ ...contract, ...(contract.servers && { servers: contract.servers.map(serverHere) }) });

/** Shows the address as a text if there is only one, because Swagger UI's list of servers has no label. */
const serverShown = (List, { React, specSelectors }) =>
  function Servers(props) {
    const servers = specSelectors.servers();
    if (servers.size > 1) return React.createElement(List, props);
    return React.createElement('p', { className: 'server' }, servers.getIn([0, 'url']));
  };

/** Makes links texts, because they are in buttons, and a button must not contain a link (HTML, "button"). */
const unlinked =
  (_Link, { React }) =>
  ({ text }) =>
    React.createElement('span', {}, text);

/** Shows the exact digits of large numbers, which page-document.ts has written beside them. */
const exactSchema =
  (Model, { React }) =>
  (props) => {
    const exact = props.schema.map((value, name) => props.schema.get(`x-exact-${name}`) ?? value);
    return React.createElement(Model, { ...props, schema: exact });
  };

/** Does the same for parameters, of which Swagger UI passes one keyword at a time. */
const exactKeyword =
  (Keyword, { React }) =>
  ({ xKey, xVal }) => {
    if (Number.isInteger(xVal) && !Number.isSafeInteger(xVal)) return null;
    return React.createElement(Keyword, { xKey: xKey.replace(/^x-exact-/, ''), xVal });
  };

SwaggerUIBundle({
  url: 'docs/document.json',
  dom_id: '#docs',
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  // This shows the bounds of parameters.
  showCommonExtensions: true,
  tryItOutEnabled: true,
  requestSnippetsEnabled: true,
  // curl then writes a newline after the answer.
  requestInterceptor: (request) => Object.assign(request, { curlOptions: ['-w', '\\n'] }),
  // The other themes have too little contrast.
  syntaxHighlight: { theme: 'monokai' },
  // The browser must not keep the token, which is a secret.
  persistAuthorization: false,
  // The badge of the validator would come from another host.
  validatorUrl: null,
  plugins: [
    () => ({
      statePlugins: { spec: { wrapActions: { updateJsonSpec: withServersHere } } },
      wrapComponents: {
        ServersContainer: serverShown,
        DeepLink: unlinked,
        PrimitiveModel: exactSchema,
        ParameterExt: exactKeyword,
      },
    }),
  ],
});
