import { Module } from '@nestjs/common';
import { ExclusionMatcher } from './exclusions/exclusion-matcher.js';
import { TableFreezer } from './frozen/table-freezer.js';
import { EnrichableRows } from './writer/enrichable-rows.js';
import { TableReader } from './writer/table-reader.js';
import { TableWriter } from './writer/table-writer.js';

/** What another library's adapters do with tables in their own process: no calls, and nothing of the public API. */
@Module({
  providers: [TableWriter, EnrichableRows, TableReader, TableFreezer, ExclusionMatcher],
  exports: [TableWriter, EnrichableRows, TableReader, TableFreezer, ExclusionMatcher],
})
export class TableWriterModule {}
