import { serviceDiscover, serviceEstimate } from './tools/catalogue.tools.js';
import { tableList } from './tools/table.tools.js';
import type { AnyTool } from './tool.js';

/** Every tool, in the order in which clients show them. */
export const TOOLS: readonly AnyTool[] = [serviceDiscover, serviceEstimate, tableList];
