import type { Recogniser } from '../recogniser.js';
import { columnRecogniser } from './column.recogniser.js';
import { countRecogniser } from './count.recogniser.js';
import { cueRecogniser, entityRecogniser, notOnlyRecogniser } from './cue.recogniser.js';
import { foundedRecogniser } from './founded.recogniser.js';
import { headcountRecogniser } from './headcount.recogniser.js';
import { nameRecogniser } from './name.recogniser.js';
import { revenueRecogniser } from './revenue.recogniser.js';
import { sizeWordRecogniser } from './size-word.recogniser.js';
import {
  industryRecogniser,
  placeRecogniser,
  roleRecogniser,
  traitRecogniser,
  ventureRecogniser,
} from './vocabulary.recogniser.js';

/** All that is understood of a prompt about the directory. */
export const DIRECTORY_RECOGNISERS: readonly Recogniser[] = [
  industryRecogniser,
  placeRecogniser,
  roleRecogniser,
  traitRecogniser,
  ventureRecogniser,
  headcountRecogniser,
  sizeWordRecogniser,
  foundedRecogniser,
  revenueRecogniser,
  countRecogniser,
  columnRecogniser,
  entityRecogniser,
  nameRecogniser,
  cueRecogniser,
  notOnlyRecogniser,
];
