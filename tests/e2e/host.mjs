// The built page, served in the two ways that hosts do: with the headers of cross-origin isolation, and without.
import { serve } from "../../scripts/serve.mjs";

/** Starts both; resolves to their ports and to what closes them. */
export async function start() {
  const servers = { isolated: await serve(), plain: await serve({ isolated: false }) };
  const ports = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, server.address().port]));
  return { ports, close: () => Object.values(servers).forEach((server) => server.close()) };
}
