const { missingPackage } = require("./missing-package.cjs");

try {
  module.exports = require("./mcp.cjs");
} catch (error) {
  throw missingPackage(error) ?? error;
}
