import type { Recogniser } from '../recogniser.js';
import { companyNameRecogniser } from './company-name.recogniser.js';
import { columnRecogniser } from './column.recogniser.js';
import { countRecogniser } from './count.recogniser.js';
import { cueRecogniser, entityRecogniser, notOnlyRecogniser } from './cue.recogniser.js';
import { foundedRecogniser } from './founded.recogniser.js';
import { nameRecogniser } from './name.recogniser.js';
import { countedRecogniser, moneyRecogniser } from './measure.recogniser.js';
import { sizeWordRecogniser } from './size-word.recogniser.js';
import {
  industryRecogniser,
  placeRecogniser,
  roleRecogniser,
  traitRecogniser,
  ventureRecogniser,
} from './vocabulary.recogniser.js';

const KNOWN: readonly Recogniser[] = [
  industryRecogniser,
  placeRecogniser,
  roleRecogniser,
  traitRecogniser,
  ventureRecogniser,
  countedRecogniser,
  sizeWordRecogniser,
  foundedRecogniser,
  moneyRecogniser,
  countRecogniser,
  columnRecogniser,
  entityRecogniser,
  nameRecogniser,
  cueRecogniser,
  notOnlyRecogniser,
];

/** All recognisers for prompts about the directory. */
export const DIRECTORY_RECOGNISERS: readonly Recogniser[] = [...KNOWN, companyNameRecogniser(KNOWN)];
