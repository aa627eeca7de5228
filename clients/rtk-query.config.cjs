/** Its defaults; without React, it makes no hooks. */
module.exports = {
  schemaFile: './out/openapi.json',
  apiFile: './stories/rtk-query-base.ts',
  outputFile: './out/rtk-query.ts',
  exportName: 'plants',
};
