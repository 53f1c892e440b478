import { mongo } from 'mongoose';
import { onTestFinished } from 'vitest';

/**
 * Holds bulk writes to a collection until they are released, or the test ends.
 *
 * @param isHeld returns true for the operations to hold; all by default
 */
export function holdWrites(collection: string, isHeld: (operations: object) => boolean = () => true) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { bulkWrite } = mongo.Collection.prototype;
  mongo.Collection.prototype.bulkWrite = async function (operations, options) {
    if (this.collectionName === collection && isHeld(operations)) {
      reached.resolve();
      await released.promise;
    }
    return bulkWrite.call(this, operations, options);
  };
  onTestFinished(() => {
    mongo.Collection.prototype.bulkWrite = bulkWrite;
    released.resolve();
  });
  return { reached: reached.promise, release: released.resolve };
}
