import { expect, it } from "@jest/globals";
import { BSON, type Collection, type Document } from "mongodb";
import { createUnlimitedCall } from "../../../../src/core/runtime/call.js";
import { storageError } from "../../../../src/mongodb/driver/errors.js";
import { ExactCollection } from "../../../../src/mongodb/driver/exact-collection.js";

/** The error of a pool, as the driver throws it for a first attempt and also for a second one. */
class WaitQueueTimeout extends Error {
  override readonly name = "MongoWaitQueueTimeoutError";
}

it.each([
  ["nothing more of a write that waited for a connection from the start", false],
  ["that the outcome is unknown of a write that was sent and waited for another connection", true],
])("says %s", async (_name, isSent) => {
  const fail = (...args: Document[]): Promise<never> => {
    if (isSent) BSON.serialize({ command: args.at(-1) });
    return Promise.reject(new WaitQueueTimeout());
  };
  const methods = { updateOne: fail, updateMany: fail, deleteOne: fail, deleteMany: fail, findOneAndUpdate: fail };
  const driver = { ...methods, findOneAndDelete: fail } as unknown as Collection;
  const collection = new ExactCollection(driver);
  const call = createUnlimitedCall();
  const writes = [
    collection.updateOne({}, {}, call),
    collection.updateMany({}, {}, call),
    collection.deleteOne({}, call),
    collection.deleteMany({}, call),
    collection.findOneAndUpdate({}, {}, call, {}),
    collection.findOneAndDelete({}, call, {}),
  ];
  for (const write of writes) {
    const error = await write.then(
      () => null,
      (reason: unknown) => storageError(reason, "write", null),
    );
    const unknown = isSent ? "; the outcome is unknown" : "";
    expect(error?.message).toBe(`EIO: MongoDB did not answer (no connection of the pool was free in time)${unknown}`);
  }
});
