/*
 * The build puts this in the place of `@modelcontextprotocol/server/_shims`, for the command line alone. The SDK's own
 * file has a validator of JSON Schema, which is as large as the rest of the SDK. The SDK validates only answers to
 * questions that a server asks its client, and this server asks none.
 */

export { default as process } from "node:process";

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("the server asks its client no questions, so there is no answer to validate");
  }
}
