import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { applyDecorators } from './apply-decorators.js';
import { IsName } from './is-name.js';
import { Optional, Removable } from './optional.js';
import { CursorPageQuery } from './pages.js';

/** Mailboxes and open sequences of an organisation in one mode, and what one of them may hold. */
export const MAILBOXES_MAX = 50;
export const SEQUENCES_MAX = 500;
export const SEQUENCE_STEPS_MAX = 10;
export const ENROLLMENTS_MAX = 50_000;
/** Rows of one request to enrol. */
export const ENROLL_ROWS_MAX = 10_000;
/** Contacts whose messages one preview renders. */
export const PREVIEW_CONTACTS_MAX = 10;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const SEQUENCE_STATUSES = ['draft', 'approved', 'active', 'paused', 'completed', 'archived'] as const;
export type SequenceStatus = (typeof SEQUENCE_STATUSES)[number];

export const ENROLLMENT_STATUSES = [
  'waiting',
  'active',
  'finished',
  'replied',
  'bounced',
  'unsubscribed',
  'stopped',
  'failed',
] as const;
export type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number];

export const THREAD_KINDS = ['sent', 'reply', 'away', 'bounce', 'unsubscribe'] as const;
export type ThreadKind = (typeof THREAD_KINDS)[number];

const NAME_MAX = 200;
const SUBJECT_MAX = 500;
const BODY_MAX = 20_000;
const EMAIL_MAX = 254;
const HOST_MAX = 253;
const CREDENTIAL_MAX = 1_000;
const DKIM_KEY_MAX = 8_192;
const PER_DAY_MAX = 10_000;
const DELAY_DAYS_MAX = 365;
const GAP_SECONDS_MAX = 3_600;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Times at which messages may leave, by the clock of a time zone. */
export class SendingWindowRequest {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(WEEKDAYS.length)
  @ArrayUnique()
  @IsIn(WEEKDAYS, { each: true, message: `each of $property must be one of ${WEEKDAYS.join(', ')}` })
  days!: Weekday[];
  @IsString() @Matches(TIME, { message: '$property must be a time such as 09:00' }) from!: string;
  /** The first minute in which nothing leaves any more; 24:00 is the end of the day. */
  @IsString() @Matches(END, { message: '$property must be a time such as 17:30, or 24:00' }) to!: string;
}

/** One message of a sequence, in Liquid. */
export class SequenceStepRequest {
  /** Days after the message before it; of the first step, after the sequence was started. */
  @IsInt() @Min(0) @Max(DELAY_DAYS_MAX) delay_days!: number;
  /** Of a later step it is left out: it answers in the thread of the first. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(SUBJECT_MAX) subject?: string;
  @IsString() @IsNotEmpty() @MaxLength(BODY_MAX) body!: string;
  @Optional() @IsIn(['email']) channel?: 'email';
}

function MailboxIds(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAILBOXES_MAX),
    ArrayUnique(),
    Matches(/^mbx_/, { each: true, message: 'each of $property must be the id of a mailbox' }),
  );
}

function Steps(): PropertyDecorator {
  return applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(SEQUENCE_STEPS_MAX),
    IsObject({ each: true, message: 'each of $property must be an object' }),
    ValidateNested({ each: true }),
    Type(() => SequenceStepRequest),
  );
}

function Window(): PropertyDecorator {
  return applyDecorators(
    IsObject(),
    ValidateNested(),
    Type(() => SendingWindowRequest),
  );
}

/** Body of POST /v1/sequences. */
export class CreateSequenceRequest {
  @IsName() name!: string;
  @MailboxIds() mailbox_ids!: string[];
  /** An IANA time zone; validated by the service. */
  @IsString() @IsNotEmpty() @MaxLength(100) time_zone!: string;
  @Window() window!: SendingWindowRequest;
  /** Messages of this sequence a day, over all of its mailboxes. */
  @Optional() @IsInt() @Min(1) @Max(PER_DAY_MAX) daily_limit?: number;
  @Steps() steps!: SequenceStepRequest[];
}

/** Fields of a sequence that a change may name. */
export class SequenceChangesRequest {
  @Optional() @IsName() name?: string;
  @Optional() @MailboxIds() mailbox_ids?: string[];
  @Optional() @IsString() @IsNotEmpty() @MaxLength(100) time_zone?: string;
  @Optional() @Window() window?: SendingWindowRequest;
  @Removable() @IsInt() @Min(1) @Max(PER_DAY_MAX) daily_limit?: number | null;
  @Optional() @Steps() steps?: SequenceStepRequest[];
  @Optional() @IsIn(['archived']) status?: 'archived';
}

/** Body of PATCH /v1/sequences/{id}. */
export class ChangeSequenceRequest {
  /** The version that is changed; another one in the meantime is a version_conflict. */
  @IsInt() @Min(1) @Max(1_000_000) version!: number;
  @IsObject() @ValidateNested() @Type(() => SequenceChangesRequest) changes!: SequenceChangesRequest;
}

/** Query of GET /v1/sequences. */
export class SequenceListQuery extends CursorPageQuery {
  @Optional() @IsIn(SEQUENCE_STATUSES) status?: SequenceStatus;
}

/** Body of POST /v1/sequences/{id}/enrollments. */
export class EnrollRequest {
  /** Either it or `monitor_id` is given; validated by the service. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) table_id?: string;
  /** The rows that it has reported as new so far. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) monitor_id?: string;
  /** Of the table; all of its rows where it is left out. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(ENROLL_ROWS_MAX)
  @Matches(/^row_/, { each: true, message: 'each of $property must be the id of a row' })
  row_ids?: string[];
  @IsString() @IsNotEmpty() @MaxLength(NAME_MAX) email_column!: string;
  /** Names of variables to keys of columns; every column by its key and by its words joined with _ where it is left out. */
  @Optional() @IsObject() variables?: Record<string, unknown>;
  @Optional() @IsBoolean() allow_unverified?: boolean;
  /** Says what would be enrolled, and enrols nobody. */
  @Optional() @IsBoolean() dry_run?: boolean;
}

/** Query of GET /v1/sequences/{id}/enrollments. */
export class EnrollmentListQuery extends CursorPageQuery {
  @Optional() @IsIn(ENROLLMENT_STATUSES) status?: EnrollmentStatus;
}

/** Body of POST /v1/sequences/{id}/preview. */
export class PreviewRequest {
  /** The first ten where it is left out. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PREVIEW_CONTACTS_MAX)
  @Matches(/^enl_/, { each: true, message: 'each of $property must be the id of an enrollment' })
  enrollment_ids?: string[];
}

/** Body of POST /v1/sequences/{id}/approvals. */
export class RequestApprovalRequest {
  /** Digest from the answer of the preview. */
  @IsString()
  @Matches(/^[0-9a-f]{64}$/, { message: '$property must be the digest of a preview' })
  digest!: string;
}

/** Body of POST /v1/sequences/{id}/activate. */
export class ActivateSequenceRequest {
  @IsString() @Matches(/^apr_/, { message: '$property must be the id of an approval' }) approval_id!: string;
}

/** Body of POST /v1/contacts/stop. */
export class StopContactRequest {
  /** All sequences where it is left out. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) sequence_id?: string;
  @IsString() @IsNotEmpty() @MaxLength(EMAIL_MAX) email!: string;
  /** Never writes to the address again. */
  @Optional() @IsBoolean() suppress?: boolean;
}

/** Query of GET /v1/suppressions. */
export class SuppressionQuery extends CursorPageQuery {
  /** A part of the address or domain. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(EMAIL_MAX) query?: string;
}

/** Body of POST /v1/suppressions. Entries that are no address or domain are rejected one by one. */
export class AddSuppressionsRequest {
  @Optional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true, message: 'each of $property must be a string' })
  @MaxLength(EMAIL_MAX, { each: true })
  addresses?: string[];
  @Optional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsString({ each: true, message: 'each of $property must be a string' })
  @MaxLength(HOST_MAX, { each: true })
  domains?: string[];
}

/** Query of GET /v1/inbox/threads. */
export class ThreadListQuery extends CursorPageQuery {
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) mailbox_id?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) sequence_id?: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(50) label?: string;
  @Optional() @IsIn(['true', 'false']) unread?: 'true' | 'false';
  @Optional() @IsIn(THREAD_KINDS) kind?: ThreadKind;
  /** A part of the subject, the address or the text. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) query?: string;
}

/** Body of PATCH /v1/inbox/threads/{id}. */
export class ChangeThreadRequest {
  /** An empty text takes the label away. */
  @Optional() @IsString() @MaxLength(50) label?: string;
  @Optional() @IsBoolean() unread?: boolean;
}

/** Body of POST /v1/inbox/threads/{id}/drafts. */
export class CreateDraftRequest {
  @IsString()
  @IsNotEmpty()
  @MaxLength(BODY_MAX)
  @Matches(/\S/, { message: '$property must not be blank' })
  body_text!: string;
}

/** Body of POST /v1/inbox/drafts/{id}/send. */
export class SendDraftRequest {
  @IsString()
  @Matches(/^[0-9a-f]{64}$/, { message: '$property must be the digest of the draft' })
  digest!: string;
  @Optional()
  @IsString()
  @Matches(/^apr_/, { message: '$property must be the id of an approval' })
  approval_id?: string;
}

/** A server of a mailbox, and how it is signed in to. */
export class MailServerRequest {
  @IsString() @IsNotEmpty() @MaxLength(HOST_MAX) host!: string;
  @IsInt() @Min(1) @Max(65_535) port!: number;
  /** `tls` from the first byte, or after STARTTLS; plain text never. */
  @IsIn(['tls', 'starttls']) security!: 'tls' | 'starttls';
  @IsString() @IsNotEmpty() @MaxLength(CREDENTIAL_MAX) user!: string;
  @IsString() @IsNotEmpty() @MaxLength(CREDENTIAL_MAX) password!: string;
}

/** The key that messages of a mailbox are signed with. */
export class DkimKeyRequest {
  @IsString() @IsNotEmpty() @MaxLength(HOST_MAX) selector!: string;
  /** In PEM. */
  @IsString() @IsNotEmpty() @MaxLength(DKIM_KEY_MAX) private_key!: string;
}

/** Body of POST /app/api/{mode}/mailboxes. In test mode no server is needed. */
export class ConnectMailboxRequest {
  @IsString() @IsNotEmpty() @MaxLength(EMAIL_MAX) address!: string;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(NAME_MAX) name?: string;
  @Optional() @IsObject() @ValidateNested() @Type(() => MailServerRequest) smtp?: MailServerRequest;
  @Optional() @IsObject() @ValidateNested() @Type(() => MailServerRequest) imap?: MailServerRequest;
  @Optional() @IsObject() @ValidateNested() @Type(() => DkimKeyRequest) dkim?: DkimKeyRequest;
  @Optional() @IsInt() @Min(1) @Max(PER_DAY_MAX) daily_limit?: number;
  @Optional() @IsBoolean() ramp_up?: boolean;
  @Optional() @IsInt() @Min(0) @Max(GAP_SECONDS_MAX) gap_seconds?: number;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(100) time_zone?: string;
}

/** Body of PATCH /app/api/{mode}/mailboxes/{id}. Fields left out stay as they are, and null takes name and signature away; servers are tried as at the start. */
export class ChangeMailboxRequest {
  @Removable() @IsString() @IsNotEmpty() @MaxLength(NAME_MAX) name?: string | null;
  @Optional() @IsObject() @ValidateNested() @Type(() => MailServerRequest) smtp?: MailServerRequest;
  @Optional() @IsObject() @ValidateNested() @Type(() => MailServerRequest) imap?: MailServerRequest;
  /** Null signs no more. */
  @Removable() @IsObject() @ValidateNested() @Type(() => DkimKeyRequest) dkim?: DkimKeyRequest | null;
  @Optional() @IsInt() @Min(1) @Max(PER_DAY_MAX) daily_limit?: number;
  @Optional() @IsBoolean() ramp_up?: boolean;
  @Optional() @IsInt() @Min(0) @Max(GAP_SECONDS_MAX) gap_seconds?: number;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(100) time_zone?: string;
  /** `connected` takes a mailbox that was paused or failed up again, after both logins. */
  @Optional() @IsIn(['connected', 'paused']) status?: 'connected' | 'paused';
}

/** Body of POST /app/api/{mode}/approvals/{id}. */
export class DecideApprovalRequest {
  @IsIn(['approve', 'reject']) decision!: 'approve' | 'reject';
  /** Of what the person has seen. */
  @IsString()
  @Matches(/^[0-9a-f]{64}$/, { message: '$property must be the digest of the approval' })
  digest!: string;
}

/** Body of POST /app/api/{mode}/messages/{id}/resolve, of a message of which nobody knows whether it was sent. */
export class ResolveMessageRequest {
  @IsIn(['sent', 'not_sent']) outcome!: 'sent' | 'not_sent';
}
