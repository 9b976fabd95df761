import { LinkingServiceEnv } from '@quarry/composition';

/** Environment of the tables service. */
export class TablesEnv extends LinkingServiceEnv {}
