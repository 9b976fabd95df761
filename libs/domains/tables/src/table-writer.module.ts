import { Module } from '@nestjs/common';
import { ExclusionMatcher } from './exclusions/exclusion-matcher.js';
import { TableFreezer } from './frozen/table-freezer.js';
import { EnrichableRows } from './writer/enrichable-rows.js';
import { TableReader } from './writer/table-reader.js';
import { TableWriter } from './writer/table-writer.js';

/** Provides the table services to adapters of other libraries in their own process: no calls, and no public API. */
@Module({
  providers: [TableWriter, EnrichableRows, TableReader, TableFreezer, ExclusionMatcher],
  exports: [TableWriter, EnrichableRows, TableReader, TableFreezer, ExclusionMatcher],
})
export class TableWriterModule {}
