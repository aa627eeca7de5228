import { BenchDatabase } from '../../../kit/database.js';
import { type Command, Server } from '../../../kit/server.js';
import { serviceAndPeers } from '../contestants.js';
import { firstAnswer } from '../first-answer.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import type { Session } from '../session.js';

const title = 'From the start of the process to the first answer';

/** How long a contestant takes to answer a short list, on a database that is ready for it. */
export async function measureStart(session: Session): Promise<Measured[]> {
  const { cleanup, contestants, postgres, tokens } = session;
  const database = await BenchDatabase.create(postgres, tokens);
  const entrants = contestants
    .filter(({ name }) => serviceAndPeers.includes(name))
    .map(
      ({ name, title, command }): Entrant<number> => ({
        name,
        title,
        async measure() {
          const begin = performance.now();
          const server = await Server.start(cleanup, withoutOptions(command), database.url);
          await firstAnswer(server.address, tokens);
          const time = performance.now() - begin;
          await server.stop();
          return time;
        },
      }),
    );
  const measured = await inRounds(title, entrants, session);
  const series = seriesOf(measured, (time) => time);
  return [{ name: 'start', title, unit: 'ms', better: 'less', series }];
}

/** The same command without the options of Node.js: `node dist/src/main.js`. */
function withoutOptions({ file, parameters }: Command): Command {
  return { file, parameters: parameters.filter((one) => !one.startsWith('--')) };
}
