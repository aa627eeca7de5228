import type { QueryResult, QueryResultRow } from 'pg';
import { Database, type Report, type Statement } from './database.js';
import { lastShown, type Position, position, type Shown, untilReplayed, untilVisible } from './position.js';

/** The leader answers instead, so a replica gets little time. */
const limits = { connect: 500, statement: 1_000, standby: true };
/** After a failure, the replica is left alone. */
const defaultRestMs = 5_000;

/**
 * A leader, and a replica for statements with `onReplica`. They see what the leader would show: all that was
 * acknowledged before, and nothing that it does not show yet (docs/scale/read-replicas.md).
 */
export class ReplicatedDatabase extends Database {
  readonly #replica: Database;
  readonly #report: Report;
  readonly #restMs: number;
  #restsUntil = 0;
  #isResting = false;

  constructor(url: string, readUrl: string, report: Report, restMs = defaultRestMs) {
    super(url, report);
    this.#report = report;
    this.#restMs = restMs;
    this.#replica = new Database(readUrl, (error, message) => report(error, `replica: ${message}`), limits);
  }

  override async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    const { onReplica = false, ...plain } = statement;
    if (!onReplica || performance.now() < this.#restsUntil) return super.query<Row>(plain);
    const { rows } = await super.query<Position>({ ...position, deadline: plain.deadline });
    let shown: readonly Shown[] = [];
    try {
      const result = await this.#replica.query<Row>({
        ...plain,
        before: (ask) => untilReplayed(ask, rows),
        after: async (ask) => {
          shown = (await ask<Shown>(lastShown)).rows;
        },
      });
      await untilVisible((question) => super.query(question), shown);
      if (this.#isResting) this.#report(undefined, 'replica: lists are read from it again');
      this.#isResting = false;
      return result;
    } catch (error) {
      if (!this.#isResting) this.#report(error, 'replica: lists are read from the leader');
      this.#isResting = true;
      this.#restsUntil = performance.now() + this.#restMs;
      return super.query<Row>(plain);
    }
  }

  override async close(): Promise<void> {
    await this.#replica.close();
    await super.close();
  }
}
