// Made by `npm run api-types` from the OpenAPI document of /console/api. Not edited by hand.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An error (RFC 9457). Base your logic on `code`. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "malformed_json" | "json_too_deep" | "malformed_request" | "unauthorized" | "cross_site" | "password_required" | "not_found" | "method_not_allowed" | "insufficient_stock" | "invoice_state" | "idempotency_conflict" | "client_key_in_use" | "version_conflict" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_error" | "unknown_workflow_status" | "unknown_event" | "channel_limit_reached" | "blocked_address" | "rate_limited" | "internal_error" | "unavailable";
            errors?: {
                pointer: string;
                detail: string;
            }[];
            request_id: string;
            /** @description insufficient_stock: what was asked for */
            requested_grams?: number;
            /** @description insufficient_stock: what is there */
            available_grams?: number;
            /** @description insufficient_stock: what is missing */
            shortage_grams?: number;
            /** @description insufficient_stock: whether `allow_overdraw` would deduct it; false: the filament has no batch */
            can_overdraw?: boolean;
            /** @description unknown_workflow_status, unknown_event: the values that exist */
            allowed?: string[];
            /** @description agent API: the refused report is on its printer's page, where its owner can try it again */
            kept?: boolean;
            /**
             * Format: uuid
             * @description client_key_in_use: the channel that has the key
             */
            id?: string;
            /** @description validation_error: the letters that an invoice's PDF can't show */
            missing_letters?: {
                pointer: string;
                letters: string[];
            }[];
            /** @description blocked_address: the setting that would allow it */
            setting?: string;
        };
        Session: {
            /** @description the signed-in account; null when signed out */
            person: components["schemas"]["Person"] | null;
            /** @description no account exists yet; create the owner account with the setup link */
            needs_set_up: boolean;
            /** @description whether anyone can create an account */
            sign_up: boolean;
        };
        Person: {
            account_name: string;
            email: string;
            /** @description ISO 4217 */
            currency: string;
        };
        CredentialsInput: {
            email: string;
            password: string;
        };
        SetUpInput: {
            email: string;
            name: string;
            password: string;
            /** @description currency of prices and costs; default RUB */
            currency?: string;
            code: string;
        };
        NewOwnerInput: {
            email: string;
            name: string;
            password: string;
            /** @description currency of prices and costs; default RUB */
            currency?: string;
        };
        FilamentUsage: {
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            items: {
                /** @description null: all others together */
                filament_id: string | null;
                name: string | null;
                colors: string[];
                grams: number;
                /** @description days without use are left out */
                days: {
                    /** Format: date */
                    day: string;
                    grams: number;
                }[];
            }[];
        };
        FilamentPatchInput: {
            name?: string;
            brand?: string;
            /** @description material type */
            type_name?: string;
            colors?: string[];
            is_gradient?: boolean;
            /** @description rounded to 3 decimals; 0 or null: never low */
            low_stock_threshold_grams?: number | null;
            /** @description what received spools hold changes with it, so only until grams are deducted or counted, or once all of that is undone */
            spool_weight_grams?: number;
        };
        Filament: {
            /** Format: uuid */
            id: string;
            name: string;
            brand: string;
            type_name: string;
            colors: string[];
            is_gradient: boolean;
            spool_weight_grams: number;
            /** @description used of the unarchived batches; negative if a stocktake found more in full spools than their labels say */
            used_grams: number;
            /** @description spools received in the unarchived batches */
            spool_count: number;
            /** @description 0: never low */
            low_stock_threshold_grams: number;
            /** @description price of a spool of the batch now in use; null: not known */
            spool_price: number | null;
            /** @description the account's currency, ISO 4217 */
            spool_price_currency: string;
            /** @description `spool_price` where the account is in roubles, else null */
            spool_price_rub: number | null;
            /** @description spool_weight_grams × spool_count − used_grams; negative when overdrawn */
            remaining_grams: number;
            /** @description at or below the threshold */
            is_low_stock: boolean;
            /** @description a batch is overdrawn */
            needs_review: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        UndoRequestInput: {
            note?: string | null;
        };
        StockTakeInput: {
            /** @description what is there, without empty spools; rounded to 3 decimals; up to 10 % more than was received */
            remaining_grams: number;
            /** @description the one batch that was weighed; absent: all of them together */
            batch_id?: string | null;
            /** @description why it differs */
            note?: string | null;
        };
        Order: {
            /** Format: uuid */
            id: string;
            model_name: string;
            quantity_pieces: number;
            material_name: string;
            color_hex: string;
            material_grams: number;
            print_hours: number;
            /** Format: date */
            due_date: string;
            order_notes: string;
            /** @enum {string} */
            workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
            printer_id: string | null;
            printer_name: string | null;
            customer_name: string | null;
            customer_contact: string | null;
            price: number | null;
            currency: string | null;
            /** @description what was received when the status was last set to a value that is not listed; null once a listed one is set */
            status_reset_received: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NewOrderInput: {
            model_name: string;
            quantity_pieces?: number;
            material_name?: string;
            color_hex?: string;
            /** @description grams of material, rounded to 3 decimals */
            material_grams?: number;
            /** @description hours, rounded to 3 decimals */
            print_hours?: number;
            /** Format: date */
            due_date?: string;
            order_notes?: string;
            /** @description a printer of this account; null: none */
            printer_id?: string | null;
            customer_name?: string | null;
            customer_contact?: string | null;
            /** @description minor units of `currency` */
            price?: number | null;
            /** @description ISO 4217 */
            currency?: string | null;
            /**
             * @description default `negotiation`
             * @enum {string}
             */
            workflow_status?: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
        };
        /** @description Only the fields to change. A whole record may be sent back: what cannot be written is ignored and named in `X-Svc-Ignored-Fields`. */
        OrderPatchInput: {
            model_name?: string;
            quantity_pieces?: number;
            material_name?: string;
            color_hex?: string;
            /** @description grams of material, rounded to 3 decimals */
            material_grams?: number;
            /** @description hours, rounded to 3 decimals */
            print_hours?: number;
            /** Format: date */
            due_date?: string;
            order_notes?: string;
            /** @description a printer of this account; null: none */
            printer_id?: string | null;
            customer_name?: string | null;
            customer_contact?: string | null;
            /** @description minor units of `currency` */
            price?: number | null;
            /** @description ISO 4217 */
            currency?: string | null;
            /** @description one of negotiation, confirmed, assigned, printing, print_error, packing, delivery, done, cancelled, closed. Any other value, of whatever type, resets the order to `negotiation` without an error (see `X-Svc-Status-Reset`); send `Prefer: handling=strict` to have it refused */
            workflow_status?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | unknown;
        };
        OrderHistoryEntry: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "created" | "status_changed" | "status_reset" | "consumption";
            /** Format: date-time */
            at: string;
            /** @description the name of the token that did it */
            actor: string;
            from_status: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            to_status: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            /** @description status_reset: the value received in place of a listed status */
            received: string | null;
            filament_id: string | null;
            /** @description consumption: what was used; negative when it was given back */
            grams: number | null;
            /** @description consumption: in the account's currency; null: not known */
            cost: number | null;
            /** @description of `cost`; null where there is none */
            cost_currency: string | null;
            /** @description `cost` where the account is in roubles, else null */
            cost_rub: number | null;
            note: string | null;
        };
        NewFilamentInput: {
            name: string;
            brand?: string;
            /** @description material type */
            type_name?: string;
            colors?: string[];
            is_gradient?: boolean;
            /** @description rounded to 3 decimals; 0 or null: never low */
            low_stock_threshold_grams?: number | null;
            /** @description weight of one spool, rounded to 3 decimals; default 1000 */
            spool_weight_grams?: number;
            /** @description spools of the first batch; 0 or absent: no batch yet */
            spool_count?: number;
            /** @description price of one spool in the account's currency, with no more decimals than it has; null: not known */
            spool_price?: number | null;
            /** @description the account's currency; any other is refused */
            spool_price_currency?: string;
            /** @description the same as `spool_price`, for accounts in roubles; refused in any other */
            spool_price_rub?: number | null;
            /**
             * Format: date-time
             * @description when the spools were received, which decides the order they are used in; default now
             */
            received_at?: string;
        };
        ConsumeRequestInput: {
            /** @description grams to deduct, rounded to 3 decimals */
            grams: number;
            use_weight?: unknown;
            /** @description the order it was used for: noted in its history with the cost */
            order_id?: string | null;
            printer_id?: string | null;
            note?: string | null;
            /** @description for callers that cannot set the Idempotency-Key header, which wins */
            idempotency_key?: string;
            /** @description deduct even if there isn't enough; default false */
            allow_overdraw?: boolean;
        } | {
            /** @description the same as `grams`, for clients that know it by this name; not both */
            use_weight: number;
            grams?: unknown;
            /** @description the order it was used for: noted in its history with the cost */
            order_id?: string | null;
            printer_id?: string | null;
            note?: string | null;
            /** @description for callers that cannot set the Idempotency-Key header, which wins */
            idempotency_key?: string;
            /** @description deduct even if there isn't enough; default false */
            allow_overdraw?: boolean;
        };
        FilamentBatch: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            received_at: string;
            spool_count: number;
            used_grams: number;
            remaining_grams: number;
            spool_price: number | null;
            spool_price_currency: string;
            spool_price_rub: number | null;
            /** @description more was used than it had */
            needs_review: boolean;
            archived_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        NewFilamentBatchInput: {
            /** @description price of one spool in the account's currency, with no more decimals than it has; null: not known */
            spool_price?: number | null;
            /** @description the account's currency; any other is refused */
            spool_price_currency?: string;
            /** @description the same as `spool_price`, for accounts in roubles; refused in any other */
            spool_price_rub?: number | null;
            /**
             * Format: date-time
             * @description when the spools were received, which decides the order they are used in; default now
             */
            received_at?: string;
            spool_count: number;
        };
        FilamentLedgerEntry: {
            /** Format: uuid */
            id: string;
            /**
             * @description adjustment: a stocktake found more or less than expected; undo: the opposite of another entry
             * @enum {string}
             */
            kind: "receipt" | "consumption" | "adjustment" | "undo";
            /** Format: uuid */
            batch_id: string;
            /** @description entries made together, and undone together */
            booking_id: string | null;
            /** @description undo: the line it takes back */
            undoes_id: string | null;
            /** @description the line that took this one back */
            undone_by_id: string | null;
            /** @description what the batch gained is positive, what it lost negative; all lines add up to what remains */
            grams: number;
            /** @description what was received or lost is worth so much, negative where it was given back; null: not known */
            cost: number | null;
            /** @description the account's currency */
            cost_currency: string;
            /** @description `cost` where the account is in roubles, else null */
            cost_rub: number | null;
            order_id: string | null;
            printer_id: string | null;
            note: string | null;
            /** @description more was taken than the batch had */
            overdraw: boolean;
            /** @description of a consumption: `report` by the rule of a printer, `request` any other; null: not known */
            source: ("report" | "request") | null;
            /** @description deducted for the same order within 24 hours from the other `source` and not undone, perhaps for the same print; null: nothing */
            also_deducted_grams: number | null;
            /** @description adjustment: what the stocktake counted; null: not known */
            counted_grams: number | null;
            /** @description the newest stocktake after this entry that counted its batch: an undo changes what it counted */
            later_stocktake: {
                /** Format: uuid */
                entry_id: string;
                /** Format: date-time */
                at: string;
                /** @description null: not known */
                counted_grams: number | null;
                /** @description the one batch that was counted; null: all of them together */
                batch_id: string | null;
            } | null;
            /** @description the name of the token that did it */
            actor: string;
            /** Format: date-time */
            at: string;
        };
        Printer: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description the label used within the farm */
            internal_name: string;
            model: string;
            technology: string;
            /** @description the farm group; null: in none */
            group_id: string | null;
            group_name: string | null;
            is_favorite: boolean;
            sort_order: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PrinterGroup: {
            /** Format: uuid */
            id: string;
            name: string;
            sort_order: number;
            printer_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        WebhookSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description of a chat format only the host: its path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description as chosen when it was created; absent if none was */
            client_key?: string;
            /**
             * @description failing: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description failed attempts since the last one that succeeded */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NewWebhookSubscriptionInput: {
            /** @description http or https, without user name and password */
            url: string;
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            /**
             * @description default `signed`
             * @enum {string}
             */
            format?: "signed" | "slack" | "discord";
            /** @description default: the host of the URL */
            name?: string;
            /** @description default `true` */
            enabled?: boolean;
            /** @description your own name for the channel, unique in the account: creating it again within 30 days of its deletion continues it */
            client_key?: string;
        };
        CreatedWebhookSubscription: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description of a chat format only the host: its path is a secret */
            url: string;
            /** @enum {string} */
            format: "signed" | "slack" | "discord";
            events: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            enabled: boolean;
            /** @description as chosen when it was created; absent if none was */
            client_key?: string;
            /**
             * @description failing: the last attempt failed
             * @enum {string}
             */
            health: "ok" | "failing";
            /** @description failed attempts since the last one that succeeded */
            consecutive_failures: number;
            last_success_at: string | null;
            /** @description why the last attempt failed; null if it succeeded */
            last_error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description the HMAC key of a signed channel: in this answer and never again */
            secret?: string;
        };
        /** @description Only the fields to change. */
        WebhookSubscriptionPatchInput: {
            events?: ("order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid")[];
            /** @description http or https, without user name and password */
            url?: string;
            name?: string;
            enabled?: boolean;
        };
        DeliveryAttempt: {
            /**
             * Format: uuid
             * @description as sent in X-Svc-Delivery
             */
            id: string;
            /** @enum {string} */
            event: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
            /** @enum {string} */
            status: "succeeded" | "failed";
            response_status: number | null;
            error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            /** Format: date-time */
            attempted_at: string;
            duration_ms: number;
            /** @description as sent in X-Svc-Sequence */
            sequence: number;
        };
        SequencedEvent: {
            sequence: number;
            /** Format: uuid */
            delivery_id: string;
            /** @enum {string} */
            status: "sending" | "succeeded" | "failed";
            error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            event: components["schemas"]["EventEnvelope"];
        };
        EventEnvelope: {
            /** @constant */
            event: "order.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** @constant */
            event: "order.status_changed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** @constant */
            event: "printer.print_finished";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** @constant */
            event: "printer.print_failed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** @constant */
            event: "filament.low_stock";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LowStockData"];
        } | {
            /** @constant */
            event: "lead.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LeadData"];
        } | {
            /** @constant */
            event: "invoice.paid";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["InvoicePaidData"];
        } | {
            /** @constant */
            event: "webhook.test";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["TestData"];
        };
        OrderEventData: {
            /** Format: uuid */
            id: string;
            model_name: string;
            quantity_pieces: number;
            material_name: string;
            color_hex: string;
            material_grams: number;
            print_hours: number;
            /** Format: date */
            due_date: string;
            order_notes: string;
            /** @enum {string} */
            workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
            printer_id: string | null;
            printer_name: string | null;
        };
        PrintReportData: {
            /** Format: uuid */
            printer_id: string;
            printer_name: string;
            filename: string;
            /** Format: date-time */
            at: string;
        };
        LowStockData: {
            /** Format: uuid */
            filament_id: string;
            name: string;
            remaining_grams: number;
            threshold_grams: number;
        };
        LeadData: {
            /** Format: uuid */
            lead_id: string;
            description: string;
            contact: string;
            client_email: string;
            budget: string;
            deadline: string;
            has_file: boolean;
            /** Format: date-time */
            created_at: string;
        };
        InvoicePaidData: {
            /** Format: uuid */
            document_id: string;
            number: string;
            amount: number;
            /** Format: date-time */
            paid_at: string;
            order_ids: string[];
            needs_review: boolean;
        };
        TestData: {
            /** Format: uuid */
            subscription_id: string;
            message: string;
        };
        LoggedEvent: {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "order.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "order.status_changed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["OrderEventData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "printer.print_finished";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "printer.print_failed";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["PrintReportData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "filament.low_stock";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LowStockData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "lead.created";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["LeadData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "invoice.paid";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["InvoicePaidData"];
        } | {
            /** Format: uuid */
            id: string;
            /** @constant */
            event: "webhook.test";
            /** Format: date-time */
            occurred_at: string;
            data: components["schemas"]["TestData"];
        };
        Lead: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "new" | "answered" | "archived";
            description: string;
            /** @description empty where nothing was given, as all texts */
            contact: string;
            client_email: string;
            budget: string;
            deadline: string;
            file: {
                name: string;
                /** @description by its content: `stl`, `pdf` */
                kind: string;
                bytes: number;
            } | null;
            /** @description the order it was turned into, while there is one */
            order_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Invoice: {
            /** Format: uuid */
            id: string;
            /** @description year and number without gaps, such as `2026-0001`; of a sample invoice the next of a series of its own, `DEMO-0001`; null while it is a draft */
            number: string | null;
            /** @enum {string} */
            status: "draft" | "issued" | "paid" | "void";
            customer_name: string;
            currency: string;
            /** @description minor units of `currency`, as all amounts here */
            total: number;
            /** @description payments less refunds */
            received: number;
            /** @description what is to be paid now */
            amount_due: number;
            issue_date: string | null;
            due_date: string | null;
            order_ids: string[];
            /** @description a payment of it waits for a person */
            needs_review: boolean;
            issued_at: string | null;
            paid_at: string | null;
            voided_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        InvoiceDetail: {
            /** Format: uuid */
            id: string;
            /** @description year and number without gaps, such as `2026-0001`; of a sample invoice the next of a series of its own, `DEMO-0001`; null while it is a draft */
            number: string | null;
            /** @enum {string} */
            status: "draft" | "issued" | "paid" | "void";
            customer_name: string;
            currency: string;
            /** @description minor units of `currency`, as all amounts here */
            total: number;
            /** @description payments less refunds */
            received: number;
            /** @description what is to be paid now */
            amount_due: number;
            issue_date: string | null;
            due_date: string | null;
            order_ids: string[];
            /** @description a payment of it waits for a person */
            needs_review: boolean;
            issued_at: string | null;
            paid_at: string | null;
            voided_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            customer_details: string;
            /** @enum {string} */
            language: "en" | "ru";
            note: string;
            lines: components["schemas"]["InvoiceLine"][];
            /** @description newest first */
            payments: components["schemas"]["InvoicePayment"][];
            /** @description what the customer is given; null while it is a draft, and if `SECRET_KEY` was lost */
            pay_url: string | null;
            /** @description of the document as it was frozen at issue */
            document_sha256: string | null;
        };
        InvoiceLine: {
            order_id: string | null;
            description: string;
            quantity: number;
            unit_price: number;
            amount: number;
        };
        InvoicePayment: {
            /** Format: uuid */
            id: string;
            /** @description null: it belongs to no invoice that is known */
            invoice_id: string | null;
            /**
             * @description manual: entered by the owner
             * @enum {string}
             */
            source: "stripe" | "notice" | "manual";
            /** @enum {string} */
            kind: "payment" | "refund";
            amount: number;
            currency: string;
            /** Format: date-time */
            at: string;
            payer: string | null;
            note: string | null;
            /** @description what the provider named, where it is no invoice of the account */
            named_invoice: string | null;
            /** @description the provider’s own id */
            payment_id: string | null;
            needs_review: boolean;
            reason: ("already_paid" | "amount_differs" | "currency_differs" | "invoice_void" | "unknown_invoice" | "refund_exceeds" | "disputed" | "refund_failed" | "dispute_won") | null;
            reviewed_at: string | null;
        };
        Me: {
            account_id: string;
            account_name: string;
            email: string;
            token_name: string;
            /** @description ISO 8601; null: never */
            token_expires_at: string | null;
        };
        Summary: {
            orders_negotiation: number;
            orders_confirmed: number;
            orders_assigned: number;
            orders_printing: number;
            orders_print_error: number;
            orders_packing: number;
            orders_delivery: number;
            orders_done: number;
            orders_cancelled: number;
            orders_closed: number;
            /** @description open orders past their due date */
            orders_overdue: number;
            orders_due_today: number;
            /** @description orders whose last status was invalid */
            orders_status_reset: number;
            filaments: number;
            /** @description at or below their low-stock threshold */
            filaments_low: number;
            printers: number;
            printer_groups: number;
        };
        FoundOrders: {
            /** @description of every status, in no order */
            ids: string[];
        };
        NewPrinterInput: {
            name: string;
            /** @description the label used within the farm */
            internal_name?: string;
            model: string;
            technology?: string;
            /** @description the farm group; null: in none */
            group_id?: string | null;
            is_favorite?: boolean;
            /** @description smaller comes first */
            sort_order?: number;
        };
        PrinterPatchInput: {
            name?: string;
            /** @description the label used within the farm */
            internal_name?: string;
            model?: string;
            technology?: string;
            /** @description the farm group; null: in none */
            group_id?: string | null;
            is_favorite?: boolean;
            /** @description smaller comes first */
            sort_order?: number;
        };
        PrinterOrderInput: {
            /** @description the farm group in which they stand from now on; null: in none */
            group_id: string | null;
            /** @description printers, first to last */
            ids: string[];
        };
        PrinterGroupOrderInput: {
            /** @description printer groups, first to last */
            ids: string[];
        };
        NewPrinterGroupInput: {
            name: string;
            /** @description smaller comes first */
            sort_order?: number;
        };
        PrinterGroupPatchInput: {
            name?: string;
            /** @description smaller comes first */
            sort_order?: number;
        };
        Agent: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description null: it is of a group */
            printer_id: string | null;
            /** @description null: it is of a printer */
            printer_group_id: string | null;
            /** @description the last four characters of its token */
            hint: string;
            /** @description reports without a signature are refused */
            signed_only: boolean;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
        };
        /** @description Of a printer or of a group: exactly one of the two. */
        NewAgentInput: {
            name: string;
            /** Format: uuid */
            printer_id?: string;
            /** Format: uuid */
            printer_group_id?: string;
            /** @description refuse reports without a signature; default false */
            signed_only?: boolean;
        };
        CreatedAgent: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description null: it is of a group */
            printer_id: string | null;
            /** @description null: it is of a printer */
            printer_group_id: string | null;
            /** @description the last four characters of its token */
            hint: string;
            /** @description reports without a signature are refused */
            signed_only: boolean;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
            /** @description shown only once */
            token: string;
        };
        PrintReport: {
            /** Format: uuid */
            id: string;
            event_id: string;
            /** Format: uuid */
            printer_id: string;
            printer_name: string;
            filename: string;
            /** @enum {string} */
            outcome: "finished" | "failed" | "cancelled";
            /** Format: date-time */
            at: string;
            grams: number | null;
            /** @description what was received instead of grams, if it can’t be read as a plausible number */
            grams_text: string | null;
            reason: string | null;
            /**
             * @description by which route it came
             * @enum {string}
             */
            source: "report" | "octoprint" | "apprise";
            agent_name: string;
            /** @description the order it was for, as far as that is known */
            order_id: string | null;
            order_name: string | null;
            filament_id: string | null;
            filament_name: string | null;
            /** @description taken from the filament; null: nothing was */
            booked_grams: number | null;
            /** @description where the order was moved to; null: it was left alone */
            moved_to: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            /** @description why a rule was not carried out, and what is missing or doubtful: `unknown_order`: the file name has the label of an order that is not in this account; `several_orders`: the file name has the labels of several orders; `no_order`: no order is named, and there is not exactly one that is being printed on this printer; `order_moved_on`: the order was packed, delivered, done, cancelled or closed already, and was left so; `no_filament`: no filament is named, and none is loaded on this printer; `no_stock`: the filament has no batch that could be taken from; `no_grams`: the report says no grams; `unreadable_grams`: what the message says about its grams could not be read, or has more than one meaning; see `grams_text`; `implausible_grams`: that is more than any print takes, or not a weight, so nothing was deducted; deduct by hand what is right; `no_file`: the message names no file, and none that does came within ten seconds */
            notes: ("unknown_order" | "several_orders" | "no_order" | "order_moved_on" | "no_filament" | "no_stock" | "no_grams" | "unreadable_grams" | "implausible_grams" | "no_file")[];
            /** @description a failure that may be a cancelled print, or a print without a file name: it is told of then, unless another message about the print comes before */
            held_until: string | null;
            /** Format: date-time */
            received_at: string;
        };
        RefusedReportCounts: {
            items: {
                /** Format: uuid */
                printer_id: string;
                refused: number;
            }[];
        };
        RefusedReport: {
            /** Format: uuid */
            id: string;
            /** @description null: the agent of its group sent it without saying which printer it is from */
            printer_id: string | null;
            /** @enum {string} */
            source: "report" | "octoprint" | "apprise";
            agent_name: string;
            event_id: string | null;
            filename: string | null;
            /** @enum {string} */
            code: "malformed_json" | "json_too_deep" | "malformed_request" | "unauthorized" | "cross_site" | "password_required" | "not_found" | "method_not_allowed" | "insufficient_stock" | "invoice_state" | "idempotency_conflict" | "client_key_in_use" | "version_conflict" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "validation_error" | "unknown_workflow_status" | "unknown_event" | "channel_limit_reached" | "blocked_address" | "rate_limited" | "internal_error" | "unavailable";
            /** @description why it was refused the last time */
            reason: string;
            /** @description false: it could not be read, is too long, or its event_id belongs to another report */
            can_retry: boolean;
            /** @description how often the same was sent */
            received_count: number;
            /** Format: date-time */
            received_at: string;
            /** Format: date-time */
            last_received_at: string;
        };
        PrinterRules: {
            /** @description book reported grams */
            book_grams: boolean;
            /** @description on this filament, unless the report names one */
            loaded_filament_id: string | null;
            /** @description where the order of a finished print goes; null: it is left alone */
            on_finished: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_failed: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_cancelled: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
        };
        PrinterRulesPatchInput: {
            /** @description book reported grams */
            book_grams?: boolean;
            /** @description on this filament, unless the report names one */
            loaded_filament_id?: string | null;
            /** @description where the order of a finished print goes; null: it is left alone */
            on_finished?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_failed?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
            on_cancelled?: ("negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed") | null;
        };
        LeadCounts: {
            new: number;
            answered: number;
            archived: number;
        };
        LeadPatchInput: {
            /** @enum {string} */
            state: "new" | "answered" | "archived";
        };
        OrderFromLeadInput: {
            /**
             * @description of the words in the notes of the order; default `en`
             * @enum {string}
             */
            language?: "en" | "ru";
        };
        Profile: {
            /** @description empty until the profile is saved */
            slug: string;
            /** @description off until the owner switches it on */
            is_public: boolean;
            headline: string;
            about: string;
            materials: string[];
            contact: string;
            /** @description in the order they are shown */
            photos: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ProfilePatchInput: {
            /** @description the name in the address: /masters/{slug} */
            slug?: string;
            /** @description off until the owner switches it on */
            is_public?: boolean;
            headline?: string;
            about?: string;
            materials?: string[];
            contact?: string;
        };
        PhotoOrderInput: {
            ids: string[];
        };
        NewInvoiceInput: {
            customer_name?: string;
            /** @description address, tax number, contact; several lines */
            customer_details?: string;
            /**
             * @description of the document
             * @enum {string}
             */
            language?: "en" | "ru";
            note?: string;
            /** @description ISO 4217 */
            currency?: string;
            due_date?: string | null;
            lines?: {
                order_id?: string | null;
                description: string;
                /** @description pieces */
                quantity: number;
                /** @description minor units of `currency`; below zero: a discount */
                unit_price: number;
            }[];
            /** @description orders of one customer and currency: each becomes a line, unless `lines` are sent */
            order_ids?: string[];
        };
        InvoicePatchInput: {
            customer_name?: string;
            /** @description address, tax number, contact; several lines */
            customer_details?: string;
            /**
             * @description of the document
             * @enum {string}
             */
            language?: "en" | "ru";
            note?: string;
            /** @description ISO 4217 */
            currency?: string;
            due_date?: string | null;
            lines?: {
                order_id?: string | null;
                description: string;
                /** @description pieces */
                quantity: number;
                /** @description minor units of `currency`; below zero: a discount */
                unit_price: number;
            }[];
        };
        InvoiceIssueInput: {
            /**
             * Format: date
             * @description today where the seller is; default: today in UTC
             */
            issue_date?: string;
        };
        NewManualPaymentInput: {
            /** @enum {string} */
            kind: "payment" | "refund";
            /** @description minor units of the invoice’s currency */
            amount: number;
            /**
             * Format: date-time
             * @description default: now
             */
            at?: string;
            note?: string;
        };
        InvoiceSeller: {
            name: string;
            address: string;
            tax_id: string;
            bank_details: string;
            /** @description how one may pay, and what is to be said with it */
            payment_note: string;
            /** @description ISO 4217 */
            default_currency: string;
        };
        InvoiceSellerPatchInput: {
            name?: string;
            address?: string;
            tax_id?: string;
            bank_details?: string;
            /** @description how one may pay, and what is to be said with it */
            payment_note?: string;
            /** @description ISO 4217 */
            default_currency?: string;
        };
        PaymentProvider: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "stripe" | "notice";
            name: string;
            /** @description off: it is not offered on pay pages; what it reports is still recorded */
            enabled: boolean;
            /** @description Stripe’s test mode: no money moves */
            is_test: boolean;
            /** @description its reports can be checked; before that it is not offered on pay pages */
            is_ready: boolean;
            /** @description where its reports go */
            notice_url: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description of signed notices, in this answer only */
            secret?: string;
        };
        NewPaymentProviderInput: {
            name?: string;
            enabled?: boolean;
            /** @description of Stripe */
            secret_key?: string;
            /** @description of Stripe, which gives it once it knows `notice_url` */
            webhook_secret?: string;
            /** @enum {string} */
            kind: "stripe" | "notice";
        };
        PaymentProviderPatchInput: {
            name?: string;
            enabled?: boolean;
            /** @description of Stripe */
            secret_key?: string;
            /** @description of Stripe, which gives it once it knows `notice_url` */
            webhook_secret?: string;
        };
        AccountSettings: {
            /** @description ISO 4217: the currency of prices and costs */
            currency: string;
            /** @description true once a price is stored; the currency can no longer change */
            is_currency_fixed: boolean;
        };
        AccountPatchInput: {
            /** @description ISO 4217 */
            currency: string;
        };
        SessionEntry: {
            /** Format: uuid */
            id: string;
            is_this_one: boolean;
            user_agent: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string;
        };
        PasswordChangeInput: {
            current_password: string;
            new_password: string;
        };
        PasswordCheckInput: {
            password: string;
        };
        AccessToken: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description its last 4 characters */
            hint: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
        };
        NewAccessTokenInput: {
            name: string;
            /** @description null: never expires; default 365 */
            days?: number | null;
        };
        EventLogEntry: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            event: "order.created" | "order.status_changed" | "printer.print_finished" | "printer.print_failed" | "filament.low_stock" | "lead.created" | "invoice.paid" | "webhook.test";
            /** @description what it is about, `order:<id>`: events of one subject leave in their order */
            subject: string;
            /** Format: date-time */
            occurred_at: string;
            /** @description the JSON envelope, byte for byte as a signed channel gets it */
            body: string;
            deliveries: components["schemas"]["LoggedDelivery"][];
        };
        LoggedDelivery: {
            /** @description as sent in X-Svc-Delivery; null while it waits */
            id: string | null;
            /** Format: uuid */
            channel_id: string;
            channel_name: string;
            /** @enum {string} */
            status: "pending" | "sending" | "succeeded" | "failed";
            response_status: number | null;
            error: ("timeout" | "connection_refused" | "connection_reset" | "dns_error" | "tls_error" | "http_status" | "redirect" | "blocked_address" | "invalid_response" | "network_error" | "interrupted" | "expired" | "channel_disabled" | "secret_lost" | "unsubscribed") | null;
            attempted_at: string | null;
            duration_ms: number | null;
            /** @description as sent in X-Svc-Sequence */
            sequence: number | null;
        };
        SentRequest: {
            headers: {
                [key: string]: string;
            };
            body: string;
            /**
             * @description unknown: the channel was changed since, so its secret may be another; none: a chat format has none
             * @enum {string}
             */
            signature: "shown" | "unknown" | "none";
        };
        SampleState: {
            /** @description there is sample data that can be taken away */
            has_sample: boolean;
            /** @description there is nothing in the account: it may be filled */
            is_empty: boolean;
        };
        Figures: {
            /**
             * Format: date
             * @description the first day
             */
            since: string;
            /**
             * Format: date
             * @description the last day
             */
            today: string;
            /** @description open orders due today or before, the oldest 12 */
            due: {
                /** @description open orders that were due before today */
                overdue: number;
                today: number;
                orders: {
                    /** Format: uuid */
                    id: string;
                    model_name: string;
                    color_hex: string;
                    quantity_pieces: number;
                    /** Format: date */
                    due_date: string;
                    /** @enum {string} */
                    workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
                    printer_name: string | null;
                }[];
            };
            /** @description every status, now */
            orders_by_status: {
                /** @enum {string} */
                workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
                orders: number;
            }[];
            /** @description every day, oldest first; orders that were deleted since are not counted */
            days: {
                /** Format: date */
                day: string;
                created: number;
                /** @description orders that became done, each once a day */
                done: number;
                /** @description how often an order went to print_error */
                print_error: number;
            }[];
            /** @description of these days, by the printer the order is on now; the 12 with the most */
            failures: {
                printer_id: string | null;
                printer_name: string | null;
                failures: number;
            }[];
            /** @description prints that ended in these days, as printers reported them; the 12 printers with the most failures */
            prints: {
                /** Format: uuid */
                printer_id: string;
                printer_name: string;
                finished: number;
                failed: number;
                cancelled: number;
            }[];
            /** @description taken from stock in these days; the 12 most used */
            materials: {
                type_name: string;
                grams: number;
            }[];
            /** @description enabled channels whose latest attempt failed */
            failing_channels: {
                /** Format: uuid */
                id: string;
                name: string;
                url: string;
                error: string | null;
                response_status: number | null;
                /** Format: date-time */
                attempted_at: string;
            }[];
        };
        PrinterFigures: {
            items: {
                /** @description null: orders without a printer */
                printer_id: string | null;
                open: {
                    /** @enum {string} */
                    workflow_status: "negotiation" | "confirmed" | "assigned" | "printing" | "print_error" | "packing" | "delivery" | "done" | "cancelled" | "closed";
                    orders: number;
                }[];
                /** @description what is due first; at most 3 */
                printing: {
                    /** Format: uuid */
                    id: string;
                    model_name: string;
                    color_hex: string;
                    quantity_pieces: number;
                    /** Format: date */
                    due_date: string;
                }[];
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
