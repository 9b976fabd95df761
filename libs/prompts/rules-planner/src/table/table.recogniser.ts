import type { Recogniser } from '../language/recogniser.js';
import { columnCheckRecogniser } from './column-check.recogniser.js';
import { filledCellsRecogniser } from './filled-cells.recogniser.js';
import { orderRecogniser } from './order.recogniser.js';
import type { TableColumn } from './table-schema.js';
import { valueRecogniser } from './value.recogniser.js';
import { yesColumnRecogniser } from './yes-column.recogniser.js';

/** Creates the recognisers of one table's columns and values. */
export function tableRecognisers(columns: readonly TableColumn[]): Recogniser[] {
  return [
    columnCheckRecogniser,
    valueRecogniser,
    orderRecogniser,
    filledCellsRecogniser,
    yesColumnRecogniser,
  ].map((make) => make(columns));
}
