import type { mongo } from 'mongoose';
import type { TestApp } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';

/** A query that the service made, and what the database says of how it was run (`explain`). */
export interface Explained {
  /** Names of the indexes that it reads; `COLLSCAN` where it reads all. */
  indexes: string[];
  keysExamined: number;
  docsExamined: number;
  /** Rows that the query returned. */
  returned: number;
  /** True if rows were sorted in memory instead of being read in index order. */
  sorts: boolean;
}

interface Stage {
  stage: string;
  indexName?: string;
  inputStage?: Stage;
}

const stagesOf = (stage: Stage | undefined): Stage[] => (stage ? [stage, ...stagesOf(stage.inputStage)] : []);

/** The fields of a command that make the query; the rest is of the session that it was sent in. */
const QUERY = ['find', 'filter', 'sort', 'limit', 'projection', 'hint', 'collation'];

async function explain(db: mongo.Db, command: mongo.Document): Promise<Explained> {
  const query = Object.fromEntries(Object.entries(command).filter(([name]) => QUERY.includes(name)));
  const { queryPlanner, executionStats } = await db.command({
    explain: query,
    verbosity: 'executionStats',
  });
  const plan: Stage = queryPlanner.winningPlan.queryPlan ?? queryPlanner.winningPlan;
  const stages = stagesOf(plan);
  return {
    indexes: stages.flatMap(({ stage, indexName }) => indexName ?? (stage === 'COLLSCAN' ? stage : [])),
    keysExamined: executionStats.totalKeysExamined,
    docsExamined: executionStats.totalDocsExamined,
    returned: executionStats.nReturned,
    sorts: stages.some(({ stage }) => stage === 'SORT'),
  };
}

/**
 * From now on the database keeps every `find` of a collection as the service sends it; `stop` explains each of them,
 * in the order in which they were made.
 *
 * @param filter Conditions on the profile entries; excludes the reads of background jobs.
 */
export async function recordQueries(
  app: TestApp,
  collection: string,
  filter: mongo.Document = {},
): Promise<{ stop(): Promise<Explained[]> }> {
  const { db } = app.models.Conversation.db;
  if (!db) throw new Error('not connected');
  const profile = await startProfile(db);
  return {
    async stop() {
      const commands = await profile.end();
      const made = await commands
        .find({ op: 'query', ns: `${db.databaseName}.${collection}`, ...filter })
        .sort({ ts: 1 })
        .toArray();
      const explained: Explained[] = [];
      for (const { command } of made) explained.push(await explain(db, command));
      return explained;
    },
  };
}
