import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { ExclusionsController } from './exclusions/exclusions.controller.js';
import { ExclusionsStore } from './exclusions/exclusions.store.js';
import { ExportsController } from './exports/exports.controller.js';
import { ExportLinks } from './exports/export-links.js';
import { ExportsStore } from './exports/exports.store.js';
import { FrozenTablesStore } from './frozen/frozen-tables.store.js';
import { TableImporter } from './import-table.js';
import { TablesController } from './tables.controller.js';
import { TableChangesStore } from './table-changes.store.js';
import { TableViewsStore } from './tables/table-views.store.js';
import { TablesStore } from './tables/tables.store.js';
import { APP_URL } from './tokens.js';
import { WorkspacesController } from './workspaces/workspaces.controller.js';
import { WorkspacesStore } from './workspaces/workspaces.store.js';

interface TablesSettings {
  /** Address of the web application, without a slash at its end. */
  appUrl: string;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<TablesSettings>()
  .setClassMethodName('forRoot')
  .build();

/** Answers calls about workspaces, tables, exclusions and exports. Needs {@link RunReader} from a global module. */
@Module({
  controllers: [WorkspacesController, TablesController, ExportsController, ExclusionsController],
  providers: [
    { provide: APP_URL, useFactory: ({ appUrl }: TablesSettings) => appUrl, inject: [MODULE_OPTIONS_TOKEN] },
    WorkspacesStore,
    TablesStore,
    TableChangesStore,
    TableViewsStore,
    TableImporter,
    FrozenTablesStore,
    ExportsStore,
    ExportLinks,
    ExclusionsStore,
  ],
})
export class TablesModule extends ConfigurableModuleClass {}
