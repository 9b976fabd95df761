import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores clients' answers to questions of the server, on their way from the receiving process to the waiting one. They
 * are taken within a second or two; the rest is deleted.
 */
export class AddClientAnswers1763700000125 implements MigrationInterface {
  readonly name = 'AddClientAnswers1763700000125';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE requests.client_answers (
        org_id text COLLATE "C" NOT NULL,
        mode text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        question_id text COLLATE "C" NOT NULL,
        answer text NOT NULL,
        kept_until timestamptz NOT NULL,
        CONSTRAINT one_answer_per_question PRIMARY KEY (org_id, mode, question_id)
      );
      CREATE INDEX client_answers_by_age ON requests.client_answers (kept_until);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE requests.client_answers');
  }
}
