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
import { Expected, Optional, Removable } from './optional.js';
import { CursorPageQuery } from './pages.js';

/** Maximum number of mailboxes and open sequences of an organisation per mode, and limits of each. */
export const MAILBOXES_MAX = 50;
export const SEQUENCES_MAX = 500;
export const SEQUENCE_STEPS_MAX = 10;
export const ENROLLMENTS_MAX = 50_000;
/** Maximum number of rows per enrolment request. */
export const ENROLL_ROWS_MAX = 10_000;
/** Maximum number of contacts per preview. */
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

/** Times at which messages may be sent, in a time zone. */
export class SendingWindowRequest {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(WEEKDAYS.length)
  @ArrayUnique()
  @IsIn(WEEKDAYS, { each: true, message: `each of $property must be one of ${WEEKDAYS.join(', ')}` })
  days!: Weekday[];
  @IsString() @Matches(TIME, { message: '$property must be a time such as 09:00' }) from!: string;
  /** End of the window, exclusive; 24:00 is the end of the day. */
  @IsString() @Matches(END, { message: '$property must be a time such as 17:30, or 24:00' }) to!: string;
}

/** Message of a sequence, in Liquid. */
export class SequenceStepRequest {
  /** Days after the previous message; for the first step, after the start of the sequence. */
  @IsInt() @Min(0) @Max(DELAY_DAYS_MAX) delay_days!: number;
  /** Omitted for a later step: it is a reply in the thread of the first. */
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
  /** IANA time zone; validated by the service. */
  @IsString() @IsNotEmpty() @MaxLength(100) time_zone!: string;
  @Window() window!: SendingWindowRequest;
  /** Maximum number of messages of this sequence per day, over all of its mailboxes. */
  @Optional() @IsInt() @Min(1) @Max(PER_DAY_MAX) daily_limit?: number;
  @Steps() steps!: SequenceStepRequest[];
}

/** Fields of a sequence that can be changed. */
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
  /** Version that the change is based on; if it is no longer current, the change is a version_conflict. */
  @IsInt() @Min(1) @Max(1_000_000) version!: number;
  @IsObject() @ValidateNested() @Type(() => SequenceChangesRequest) changes!: SequenceChangesRequest;
}

/** Query of GET /v1/sequences. */
export class SequenceListQuery extends CursorPageQuery {
  @Optional() @IsIn(SEQUENCE_STATUSES) status?: SequenceStatus;
}

/** Body of POST /v1/sequences/{id}/enrollments. */
export class EnrollRequest {
  /** Exactly one of it and `monitor_id` is given; validated by the service. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) table_id?: string;
  /** Monitor whose rows reported as new so far are enrolled. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) monitor_id?: string;
  /** Rows of the table; if omitted, all. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(ENROLL_ROWS_MAX)
  @Matches(/^row_/, { each: true, message: 'each of $property must be the id of a row' })
  row_ids?: string[];
  @IsString() @IsNotEmpty() @MaxLength(NAME_MAX) email_column!: string;
  /** Column keys by variable name; if omitted, every column by its key and by its name with words joined by _. */
  @Optional() @IsObject() variables?: Record<string, unknown>;
  @Optional() @IsBoolean() allow_unverified?: boolean;
  /** Returns what would be enrolled, without enrolling anybody. */
  @Optional() @IsBoolean() dry_run?: boolean;
}

/** Query of GET /v1/sequences/{id}/enrollments. */
export class EnrollmentListQuery extends CursorPageQuery {
  @Optional() @IsIn(ENROLLMENT_STATUSES) status?: EnrollmentStatus;
}

/** Body of POST /v1/sequences/{id}/preview. */
export class PreviewRequest {
  /** Contacts; if omitted, the first ten. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PREVIEW_CONTACTS_MAX)
  @Matches(/^enl_/, { each: true, message: 'each of $property must be the id of an enrollment' })
  enrollment_ids?: string[];
}

/** Body of POST /v1/sequences/{id}/approvals. */
export class RequestApprovalRequest {
  /** Digest from the response of the preview. */
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
  /** Sequence; if omitted, all. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(40) sequence_id?: string;
  @IsString() @IsNotEmpty() @MaxLength(EMAIL_MAX) email!: string;
  /** Permanently prevents messages to the address. */
  @Optional() @IsBoolean() suppress?: boolean;
}

/** Query of GET /v1/suppressions. */
export class SuppressionQuery extends CursorPageQuery {
  /** Part of the address or domain. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(EMAIL_MAX) query?: string;
}

/** Body of POST /v1/suppressions. Entries that are not an address or domain are rejected individually. */
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
  /** Part of the subject, the address or the text. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) query?: string;
}

/** Body of PATCH /v1/inbox/threads/{id}. */
export class ChangeThreadRequest {
  /** An empty text removes the label. */
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

/** Server of a mailbox and its credentials. */
export class MailServerRequest {
  @IsString() @IsNotEmpty() @MaxLength(HOST_MAX) host!: string;
  @IsInt() @Min(1) @Max(65_535) port!: number;
  /** TLS from the first byte, or after STARTTLS; never plain text. */
  @IsIn(['tls', 'starttls']) security!: 'tls' | 'starttls';
  @IsString() @IsNotEmpty() @MaxLength(CREDENTIAL_MAX) user!: string;
  @IsString() @IsNotEmpty() @MaxLength(CREDENTIAL_MAX) password!: string;
}

/** Key with which messages of a mailbox are signed. */
export class DkimKeyRequest {
  @IsString() @IsNotEmpty() @MaxLength(HOST_MAX) selector!: string;
  /** Private key in PEM. */
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

/**
 * Body of PATCH /app/api/{mode}/mailboxes/{id}. Omitted fields stay unchanged, and null removes name and signature; logins
 * are tested as on creation.
 */
export class ChangeMailboxRequest {
  @Removable() @IsString() @IsNotEmpty() @MaxLength(NAME_MAX) name?: string | null;
  @Optional() @IsObject() @ValidateNested() @Type(() => MailServerRequest) smtp?: MailServerRequest;
  @Optional() @IsObject() @ValidateNested() @Type(() => MailServerRequest) imap?: MailServerRequest;
  /** Null ends signing. */
  @Removable() @IsObject() @ValidateNested() @Type(() => DkimKeyRequest) dkim?: DkimKeyRequest | null;
  @Optional() @IsInt() @Min(1) @Max(PER_DAY_MAX) daily_limit?: number;
  @Optional() @IsBoolean() ramp_up?: boolean;
  @Optional() @IsInt() @Min(0) @Max(GAP_SECONDS_MAX) gap_seconds?: number;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(100) time_zone?: string;
  /** `connected` resumes a paused or failed mailbox, after both logins have succeeded. */
  @Optional() @IsIn(['connected', 'paused']) status?: 'connected' | 'paused';
  /** Fields of the mailbox as the client has read them; if one is different now, the change is a version_conflict. */
  @Expected() expected?: Record<string, unknown>;
}

/** Body of POST /app/api/{mode}/approvals/{id}. */
export class DecideApprovalRequest {
  @IsIn(['approve', 'reject']) decision!: 'approve' | 'reject';
  /** Digest of the content that the person has seen. */
  @IsString()
  @Matches(/^[0-9a-f]{64}$/, { message: '$property must be the digest of the approval' })
  digest!: string;
}

/** Body of POST /app/api/{mode}/messages/{id}/resolve, for a message with an unknown outcome. */
export class ResolveMessageRequest {
  @IsIn(['sent', 'not_sent']) outcome!: 'sent' | 'not_sent';
}
