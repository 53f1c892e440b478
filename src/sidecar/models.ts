import { createHash } from 'node:crypto';
import type mongoose from 'mongoose';
import { AppError, invalid } from '../errors/app-error.ts';
import { DEFAULT_MODEL } from '../platform/sidecar-address.ts';
import { MAX_MODELS } from '../shared/drift-limits.ts';
import type { DriftEngine } from './drift-engine.ts';
import { type ModelDb, modelDb } from './model-db.ts';
import { isScopeName, SCOPE_NAME_REQUIRED } from './samples/validate-row.ts';

interface Deps {
  db: mongoose.mongo.Db;
  createEngine: (model: string, db: ModelDb) => Promise<DriftEngine>;
}

/** An entry of `GET /drift/models`. */
export interface ModelEntry {
  model: string;
}

/**
 * Returns the prefix of the names of a model's collections. The default model has none, so that the data of a sidecar
 * that knew no models belong to it.
 */
const prefixOf = (model: string): string =>
  model === DEFAULT_MODEL ? '' : `model_${createHash('sha256').update(model).digest('hex').slice(0, 24)}.`;

/** Creates the engines of the models. Samples, checks and settings of different models share nothing. */
export async function createModels({ db, createEngine }: Deps) {
  const models = db.collection<{ _id: string }>('models');
  const engines = new Map<string, Promise<DriftEngine>>();

  function open(model: string): Promise<DriftEngine> {
    const engine = engines.get(model) ?? createEngine(model, modelDb(db, prefixOf(model)));
    engines.set(model, engine);
    engine.catch(() => engines.delete(model)); // the next request tries again
    return engine;
  }
  await open(DEFAULT_MODEL);

  const isKnown = async (model: string): Promise<boolean> =>
    engines.has(model) || (await models.findOne({ _id: model })) !== null;

  return {
    /** Returns the engine of a model. @throws AppError NOT_FOUND if the model never had samples */
    async engineOf(model: string): Promise<DriftEngine> {
      if (await isKnown(model)) return open(model);
      throw new AppError('NOT_FOUND', `No samples for model \`${model}\`.`);
    },

    /**
     * Returns the engine of a model that receives samples.
     * @throws AppError VALIDATION_FAILED beyond the limit, or for a name that the service refuses
     */
    async engineFor(model: string): Promise<DriftEngine> {
      if (!isScopeName(model)) throw invalid('model', `${SCOPE_NAME_REQUIRED}.`);
      if (await isKnown(model)) return open(model);
      if ((await models.countDocuments()) >= MAX_MODELS - 1)
        throw invalid('model', `would be a new model, but the maximum of ${MAX_MODELS} models is reached`);
      await models.updateOne({ _id: model }, { $setOnInsert: { _id: model } }, { upsert: true });
      return open(model);
    },

    /** Lists the models: the default one, then the others by name. */
    async list(): Promise<ModelEntry[]> {
      const others = await models.find({}, { sort: { _id: 1 } }).toArray();
      return [{ model: DEFAULT_MODEL }, ...others.map(({ _id }) => ({ model: _id }))];
    },

    async close(): Promise<void> {
      await Promise.all([...engines.values()].map(async (engine) => (await engine).close()));
    },
  };
}

export type DriftModels = Awaited<ReturnType<typeof createModels>>;
