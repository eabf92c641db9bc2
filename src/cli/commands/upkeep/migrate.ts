import type { AddCommand } from "../../command.js";
import { migrateEarlierFormat } from "./migrate-earlier-format.js";
import { migrateMongodbStore } from "./migrate-mongodb-store.js";

export const migrate: AddCommand = (program, context) => {
  const group = program
    .command("migrate")
    .description("Bring in data of the earlier system, or of the official MongoDBStore.");
  migrateEarlierFormat(group, context);
  migrateMongodbStore(group, context);
};
