// Generated from the OpenAPI document by packages/testing/test/management.test.ts. Update: `vitest run -u` on that file.

/** The types of every management route. */
export interface Operations {
  /** Get the setup status of a program */
  'GET /api/tracking/status/:programId': {
    reply: {
      data: {
        programId: string;
        stepStatuses: {
          pageview: 'complete' | 'pending';
          referrals: 'complete' | 'pending';
          payments: 'complete' | 'pending';
        };
        statistics: {
          pageview: {
            testEventCount: number;
            hasTestEvents: boolean;
            latestTestEvent: {
              /** Row id. */
              id: number;
              timestamp: string;
              createdAt: string;
            } | null;
          };
          referrals: {
            testEventCount: number;
            hasTestEvents: boolean;
            latestTestEvent: {
              /** Row id. */
              id: number;
              timestamp: string;
              createdAt: string;
            } | null;
          };
          payments: {
            processorConnectionStatus: string;
            isProcessorConnected: boolean;
            processorAccountId: string | null;
            chargesEnabled: boolean;
            payoutsEnabled: boolean;
            detailsSubmitted: boolean;
            connectionDate: string | null;
          };
        };
        hasPartners: boolean;
        lastUpdated: string;
      };
    };
  };
  /** Get daily figures with totals and trends */
  'GET /api/tracking/performance/:programId': {
    query: {
      /** Length of the report, which ends with the current UTC day. `all` starts on the first day with data. */
      period?: '7d' | '30d' | '90d' | 'all' | undefined;
      /** Together with `dateTo`, replaces `period`. A date or an instant (ISO 8601). The report starts with the whole UTC day of this time; `meta` shows the bounds. */
      dateFrom?: string | undefined;
      /** Together with `dateFrom`, replaces `period`. The report ends with the whole UTC day of this time. */
      dateTo?: string | undefined;
    };
    reply: {
      data: Array<{
        date: string;
        period: string;
        clicks: number;
        leads: number;
        conversions: number;
        revenue: number;
        partners: number;
        sales: 0;
        commission: number;
      }>;
      metrics: {
        totalClicks: number;
        totalLeads: number;
        totalConversions: number;
        totalRevenue: number;
        conversionRate: number;
        averageOrderValue: number;
        totalPartners: number;
        totalSales: number;
        totalPartnersCommission: number;
        clicksTrend: {
          trend: number;
          trendDirection: 'up' | 'down' | 'stable';
        };
        leadsTrend: {
          trend: number;
          trendDirection: 'up' | 'down' | 'stable';
        };
        conversionsTrend: {
          trend: number;
          trendDirection: 'up' | 'down' | 'stable';
        };
        revenueTrend: {
          trend: number;
          trendDirection: 'up' | 'down' | 'stable';
        };
        partnersTrend: {
          trend: number;
          trendDirection: 'up' | 'down' | 'stable';
        };
        salesTrend: {
          trend: number;
          trendDirection: 'up' | 'down' | 'stable';
        };
        commissionTrend: {
          trend: number;
          trendDirection: 'up' | 'down' | 'stable';
        };
        other_currencies: Array<{
          /** ISO 4217 code. */
          currency: string;
          totalRevenue: number;
          totalPartnersCommission: number;
        }>;
      };
      meta: {
        period: '7d' | '30d' | '90d' | 'all' | 'custom';
        dateFrom: string;
        dateTo: string;
        previousPeriod: {
          dateFrom: string;
          dateTo: string;
        };
      };
    };
  };
  /** List clicks, leads and sales */
  'GET /api/tracking/events/:programId': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Type of the events. Defaults to all. */
      eventType?: 'click' | 'lead' | 'conversion' | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
      /** Lists only rows after this instant (ISO 8601, UTC unless it has a zone), or after the UTC day of this date. */
      after?: string | undefined;
      /** Lists only clicks with this `sub_id`. */
      sub_id?: string | undefined;
      /** Lists only events of this partner. */
      partner_id?: number | undefined;
      /** Lists only clicks on this link. */
      link_id?: number | undefined;
      /** Searches for customers, and lists only their events. Finds a whole click id, or the start of a `customer_key` or transaction id, ignoring the case of the letters a to z. The search covers at most 100 customers and 1,000 events. */
      q?: string | undefined;
    };
    reply: {
      data: Array<Event>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
        /** Clicks before this time are not listed, because the service deleted them after its retention period. Null if none were deleted. */
        clicks_complete_from: string | null;
      };
    };
  };
  /** Export events as CSV */
  'GET /api/advertiser/affiliate-programs/:programId/events.csv': {
    query: {
      /** Type of the events. Defaults to all. */
      eventType?: 'click' | 'lead' | 'conversion' | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
      /** Lists only rows after this instant (ISO 8601, UTC unless it has a zone), or after the UTC day of this date. */
      after?: string | undefined;
      /** Lists only clicks with this `sub_id`. */
      sub_id?: string | undefined;
      /** Lists only events of this partner. */
      partner_id?: number | undefined;
      /** Lists only clicks on this link. */
      link_id?: number | undefined;
      /** Searches for customers, and lists only their events. Finds a whole click id, or the start of a `customer_key` or transaction id, ignoring the case of the letters a to z. The search covers at most 100 customers and 1,000 events. */
      q?: string | undefined;
    };
    reply: ReadableStream<Uint8Array>;
  };
  /** Explain why a partner was or was not credited */
  'GET /api/advertiser/affiliate-programs/:id/trace': {
    query: {
      /** Id of a sale, or another id of the same payment. */
      transaction_id?: string | undefined;
      /** Click id of a customer. */
      click_id?: string | undefined;
      /** Your id of a customer. */
      customer_key?: string | undefined;
      /** Id of a commission. */
      commission_id?: number | undefined;
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Steps per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
    };
    reply: {
      success: true;
      data: Trace;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Break the figures of a program down by country, referrer, device or page */
  'GET /api/advertiser/affiliate-programs/:id/breakdown': {
    query: {
      /** The dimension of the rows. */
      by?: 'country' | 'referrer_host' | 'device' | 'os' | 'browser' | 'page' | undefined;
      /** Sorts the values by this measure, highest first. Defaults to clicks. */
      measure?: 'clicks' | 'leads' | 'sales' | undefined;
      /** Number of values that get a row of their own. All other values share one row. A number above 100 is lowered to 100. */
      limit?: number | undefined;
      /** The first day of the range, as a date or instant (ISO 8601). The whole UTC day is included. Defaults to 29 days before the last day. The range may span at most 3,660 days. */
      dateFrom?: string | undefined;
      /** The last day of the range, as a date or instant (ISO 8601). The whole UTC day is included. Defaults to today. */
      dateTo?: string | undefined;
    };
    reply: {
      success: true;
      data: Array<{
        /** The value, such as `DE`. Null when it is unknown, and in the row for all other values. */
        value: string | null;
        /** Whether this row sums up all values without a row of their own. */
        is_other: boolean;
        clicks: number;
        leads: number;
        sales: number;
        /** Amounts of the sales, by currency. */
        revenue: Array<{
          /** ISO 4217 code. */
          currency: string;
          /** Amount, in the smallest unit of the currency. */
          amount_cents: number;
        }>;
      }>;
      meta: {
        by: 'country' | 'referrer_host' | 'device' | 'os' | 'browser' | 'page';
        dateFrom: string;
        dateTo: string;
        /** Every event that was stored before this time is counted. Null until all existing events have been counted once. */
        as_of: string | null;
      };
    };
  };
  /** List the rejected tracking calls of a program */
  'GET /api/advertiser/affiliate-programs/:id/refusals': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Lists only calls that were rejected with this code. */
      code?: string | undefined;
      /** Lists only calls with this text in a field, in `reason` or in `request_id`. Ignores case. */
      q?: string | undefined;
    };
    reply: {
      success: true;
      data: Array<Refusal>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Get the setup progress of a program */
  'GET /api/advertiser/affiliate-programs/:id/integration': {
    reply: {
      success: true;
      data: {
        /** The steps of the chain, in order. */
        steps: Array<{
          step: 'click' | 'lead' | 'sale' | 'refund';
          /** `waiting`: no events have arrived. `tested`: only test events have arrived. `received`: real events have arrived. */
          state: 'waiting' | 'tested' | 'received';
          /** Number of real events. */
          total: number;
          /** Time of the latest real event. */
          last_at: string | null;
          /** Time of the latest test event. */
          last_test_at: string | null;
          /** The latest rejected call of this kind, if no real event has arrived since. */
          last_rejected: {
            code: string;
            reason: string;
            refused_at: string;
          } | null;
          /** Empty when a real event has arrived. */
          missing: Array<{
            /** Stable code of the reason. */
            reason: 'no_approved_partner' | 'no_active_link' | 'site_not_allowed' | 'browser_leads_off' | 'no_click' | 'no_sale' | 'last_call_rejected' | 'only_test_events' | 'no_event' | 'processor_not_connected' | 'no_webhook';
            /** What is missing, and what you can do. */
            why: string;
          }>;
        }>;
        /** The workspace's newest processor connection that is not disconnected. */
        webhook: {
          /** Id of the processor connection. */
          connection_id: number;
          mode: 'live' | 'test';
          /** When the first verified webhook arrived. */
          connected_at: string | null;
          /** When the latest verified webhook arrived. */
          last_at: string | null;
          /** The type of that webhook. */
          last_type: string | null;
          /** The outcome of that webhook. */
          last_outcome: string | null;
          /** The reason why that webhook was ignored. */
          last_reason: string | null;
        } | null;
        /** Whether the program has an approved partner and has received a click, a lead and a sale. Test events count too. */
        healthy: boolean;
        checked_at: string;
      };
    };
  };
  /** Test a click, a lead and a sale of a program */
  'POST /api/advertiser/affiliate-programs/:id/test-event': {
    body: ProgramTestEventRequest;
    reply: {
      success: true;
      data: {
        healthy: boolean;
        steps: Array<{
          step: 'click' | 'lead' | 'sale';
          message: string;
          ok: true;
          data: {
            eventId: number;
            programId: number;
            /** Marks a test event. */
            test_mode: true;
          };
        } | {
          step: 'click' | 'lead' | 'sale';
          message: string;
          ok: false;
          /** Stable code. */
          code: string;
        }>;
      };
    };
  };
  /** List the user's sessions */
  'GET /api/auth/sessions': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<Session>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** End all other sessions */
  'DELETE /api/auth/sessions': {
    reply: {
      success: true;
    };
  };
  /** End one session */
  'DELETE /api/auth/sessions/:id': {
    reply: {
      success: true;
    };
  };
  /** List the user's workspaces */
  'GET /api/advertiser/workspaces': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<Workspace>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create a workspace */
  'POST /api/advertiser/workspaces': {
    body: WorkspaceRequest;
    reply: {
      success: true;
      data: Workspace;
    };
  };
  /** Rename a workspace */
  'PUT /api/advertiser/workspaces/:id': {
    body: WorkspaceUpdateRequest;
    reply: {
      success: true;
      data: Workspace;
    };
  };
  /** List members and invitations */
  'GET /api/advertiser/members': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<Member>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Invite a member */
  'POST /api/advertiser/members': {
    body: MemberRequest;
    reply: {
      success: true;
      data: {
        /** Row id. */
        id: number;
        /** Id of the workspace. */
        workspace_id: number;
        /** Id of the user; null until the invitation is accepted. */
        user_id: number | null;
        /** Email address. */
        email: string;
        /** Display name. */
        name: string;
        /** Role of the member, which decides what the member may do. */
        role: 'owner' | 'admin' | 'member' | 'viewer';
        /** Whether the invitation has been accepted. */
        status: 'invited' | 'active';
        /** When the row was created. */
        created_at: string;
        /** Invitation token. Only this reply shows it. */
        invite_token?: string | undefined;
        /** When the invitation expires. */
        invite_expires_at?: string | undefined;
        /** Present if the service also sends the link by email. Otherwise, send the link to the person yourself. */
        invite_delivery?: 'email' | undefined;
      };
    };
  };
  /** Update a member */
  'PUT /api/advertiser/members/:id': {
    body: MemberChange;
    reply: {
      success: true;
      data: Member;
    };
  };
  /** Remove a member */
  'DELETE /api/advertiser/members/:id': {
    reply: {
      success: true;
    };
  };
  /** Invite a member again */
  'POST /api/advertiser/members/:id/invite': {
    reply: {
      success: true;
      data: {
        /** Invitation token. Only this reply shows it. */
        invite_token: string;
        /** When the invitation expires. */
        invite_expires_at: string;
        /** Present if the service also sends the link by email. Otherwise, send the link to the person yourself. */
        invite_delivery?: 'email' | undefined;
      };
    };
  };
  /** List programs */
  'GET /api/advertiser/affiliate-programs': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<Program>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create a program */
  'POST /api/advertiser/affiliate-programs': {
    body: ProgramRequest;
    reply: {
      success: true;
      data: {
        /** Row id. */
        id: number;
        /** Id of the workspace. */
        workspace_id: number;
        /** Display name of the program. */
        name: string;
        /** Name of the program in URLs. */
        slug: string;
        /** URL of the shop. Links lead there. */
        site_url: string;
        /** Whether the marketplace lists the program. */
        status: 'draft' | 'live';
        /** Number of days after a click during which a sale can earn a commission. */
        cookie_window_days: number;
        /** Whether the last or the first click earns the commission. */
        attribution_model: 'last_click' | 'first_click';
        /** How many days a commission is held for refunds before it can be paid out. */
        hold_days: number;
        /** ISO 4217 code. */
        currency: string;
        /** Origins whose pages may send events; `*` allows any. */
        allowed_origins: Array<string>;
        /** Domain of the click cookie. The service sets the cookie only if its own host is in this domain. */
        cookie_domain: string | null;
        /** Which leads browsers may record: all leads, only leads without `customer_key`, or none. */
        browser_leads: 'all' | 'without_key' | 'off';
        /** How to treat the commission if only a browser has reported the customer's `customer_key`. `review`: held until you approve it or your server confirms the key. `pay`: treated like any other commission. */
        claimed_keys: 'review' | 'pay';
        /** Whether clicks and browser leads without an `Origin` header are rejected. */
        require_origin: boolean;
        /** Amount below which a sale earns no commission, in the smallest unit of the sale's currency. 0 means no minimum. */
        min_sale_cents: number;
        /** Whether a percent commission is computed from the whole sale, or from the sale without tax and shipping. */
        commission_base: 'total' | 'net';
        /** Masked tracking token. Only its start and end are shown. */
        api_token_masked: string;
        /** When the row was created. */
        created_at: string;
        /** Start of the first UTC day with data, or `created_at` if that is earlier. Imported data may be older than the program. */
        data_since: string;
        /** Tracking token. Only this reply shows it. */
        api_token: string;
      };
    };
  };
  /** Get a program */
  'GET /api/advertiser/affiliate-programs/:id': {
    reply: {
      success: true;
      data: Program;
    };
  };
  /** Update a program */
  'PUT /api/advertiser/affiliate-programs/:id': {
    body: ProgramChange;
    reply: {
      success: true;
      data: Program;
    };
  };
  /** Delete a program */
  'DELETE /api/advertiser/affiliate-programs/:id': {
    reply: {
      success: true;
    };
  };
  /** List a program on the marketplace */
  'POST /api/advertiser/affiliate-programs/:id/go-live': {
    reply: {
      success: true;
      data: Program;
    };
  };
  /** Replace the tracking token */
  'POST /api/advertiser/affiliate-programs/:id/regenerate-api-token': {
    reply: {
      success: true;
      data: {
        /** Tracking token. Only this reply shows it. */
        api_token: string;
        /** Masked tracking token. Only its start and end are shown. */
        api_token_masked: string;
      };
    };
  };
  /** Get the public page of a program */
  'GET /api/advertiser/affiliate-programs/:id/page': {
    reply: {
      success: true;
      data: ProgramPage;
    };
  };
  /** Change the public page of a program */
  'PUT /api/advertiser/affiliate-programs/:id/page': {
    body: ProgramPageChange;
    reply: {
      success: true;
      data: ProgramPage;
    };
  };
  /** List partners */
  'GET /api/advertiser/affiliate-programs/:id/partners': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Part of the partner's name, the partner's email address, or the code of a link, ignoring case. */
      q?: string | undefined;
      /** Status of the enrollments. Defaults to all. */
      status?: 'pending' | 'approved' | 'rejected' | 'banned' | undefined;
      /** The column to sort by. Defaults to `created_at`. `balance_cents` sorts by the balance in the program's currency. Without such a balance, a partner sorts as 0. */
      sort?: 'created_at' | 'name' | 'email' | 'clicks' | 'leads' | 'conversions' | 'balance_cents' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: {
      success: true;
      data: Array<Partner>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Enroll a partner */
  'POST /api/advertiser/affiliate-programs/:id/partners': {
    body: PartnerRequest;
    reply: {
      success: true;
      data: {
        /** Row id. */
        id: number;
        /** Id of the enrollment. */
        partner_program_id: number;
        /** Display name of the partner. */
        name: string;
        /** Email address. */
        email: string;
        /** Status of the enrollment. Links record clicks only while the partner is approved. */
        status: 'pending' | 'approved' | 'rejected' | 'banned';
        /** Reason for the status. The partner can read the reason. */
        status_reason: string | null;
        /** When the partner applied. Null if the partner was invited. */
        applied_at: string | null;
        /** Amount owed to the partner, including payouts in progress. */
        balance_cents: number;
        /** Amount that a payout would include now. */
        payable_cents: number;
        balances: Array<{
          /** ISO 4217 code. */
          currency: string;
          /** Amount owed to the partner, including payouts in progress. */
          balance_cents: number;
          /** Amount that a payout would include now. */
          payable_cents: number;
        }>;
        clicks: number;
        leads: number;
        conversions: number;
        links: Array<Link>;
        /** Invitation token. Only this reply shows it. */
        invite_token?: string | undefined;
        /** When the invitation expires. */
        invite_expires_at?: string | undefined;
        /** Present if the service also sends the link by email. Otherwise, send the link to the person yourself. */
        invite_delivery?: 'email' | undefined;
      };
    };
  };
  /** Export partners as CSV */
  'GET /api/advertiser/affiliate-programs/:id/partners.csv': {
    query: {
      /** Part of the partner's name, the partner's email address, or the code of a link, ignoring case. */
      q?: string | undefined;
      /** Status of the enrollments. Defaults to all. */
      status?: 'pending' | 'approved' | 'rejected' | 'banned' | undefined;
      /** The column to sort by. Defaults to `created_at`. `balance_cents` sorts by the balance in the program's currency. Without such a balance, a partner sorts as 0. */
      sort?: 'created_at' | 'name' | 'email' | 'clicks' | 'leads' | 'conversions' | 'balance_cents' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: ReadableStream<Uint8Array>;
  };
  /** Get a partner */
  'GET /api/advertiser/affiliate-programs/:id/partners/:partnerId': {
    reply: {
      success: true;
      data: PartnerDetail;
    };
  };
  /** Update a partner */
  'PUT /api/advertiser/affiliate-programs/:id/partners/:partnerId': {
    body: PartnerChange;
    reply: {
      success: true;
      data: ChangedPartner;
    };
  };
  /** Invite a partner again */
  'POST /api/advertiser/affiliate-programs/:id/partners/:partnerId/invite': {
    reply: {
      success: true;
      data: {
        /** Invitation token. Only this reply shows it. */
        invite_token: string;
        /** When the invitation expires. */
        invite_expires_at: string;
        /** Present if the service also sends the link by email. Otherwise, send the link to the person yourself. */
        invite_delivery?: 'email' | undefined;
      };
    };
  };
  /** Enroll partners from a CSV file */
  'POST /api/advertiser/affiliate-programs/:id/partners/import': {
    query: {
      /** `1` checks the file and stores nothing. */
      dry_run?: boolean | undefined;
    };
    csv: string;
    reply: {
      success: true;
      /** One result per row of the file, in its order. */
      data: Array<{
        /** Line of the file on which the row ends, starting at 1. */
        line: number;
        ok: true;
        /** Whether the partner is new in the program. */
        is_new: boolean;
        /** Id of the partner. */
        partner_id?: number | undefined;
        /** Invitation token. Only this reply shows it. */
        invite_token?: string | undefined;
        /** When the invitation expires. */
        invite_expires_at?: string | undefined;
        /** Present if the service also sends the link by email. Otherwise, send the link to the person yourself. */
        invite_delivery?: 'email' | undefined;
      } | {
        /** Line of the file on which the row ends, starting at 1. */
        line: number;
        ok: false;
        /** Stable code of the error. The row was not imported. */
        code: string;
        /** Error message. */
        error: string;
      }>;
      meta: {
        /** Whether the file was only checked, and nothing was stored. */
        dry_run: boolean;
        /** Number of partners that were new in the program. */
        created: number;
        /** Number of partners that already were in the program. */
        existing: number;
        /** Number of rows that were not imported. */
        failed: number;
      };
    };
  };
  /** List links */
  'GET /api/advertiser/affiliate-programs/:id/links': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Part of the code, or of the name of the partner, ignoring case. */
      q?: string | undefined;
      /** Status of the links. Defaults to all. */
      status?: 'active' | 'inactive' | undefined;
      /** The column to sort by. Defaults to `created_at`. */
      sort?: 'created_at' | 'short_link' | 'clicks' | 'last_clicked' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: {
      success: true;
      data: Array<ListedLink>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create a link */
  'POST /api/advertiser/affiliate-programs/:id/links': {
    body: LinkRequest;
    reply: {
      success: true;
      data: Link;
    };
  };
  /** Export links as CSV */
  'GET /api/advertiser/affiliate-programs/:id/links.csv': {
    query: {
      /** Part of the code, or of the name of the partner, ignoring case. */
      q?: string | undefined;
      /** Status of the links. Defaults to all. */
      status?: 'active' | 'inactive' | undefined;
      /** The column to sort by. Defaults to `created_at`. */
      sort?: 'created_at' | 'short_link' | 'clicks' | 'last_clicked' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: ReadableStream<Uint8Array>;
  };
  /** Get a link */
  'GET /api/advertiser/affiliate-programs/:id/links/:linkId': {
    reply: {
      success: true;
      data: ListedLink;
    };
  };
  /** Activate or deactivate a link */
  'PUT /api/advertiser/affiliate-programs/:id/links/:linkId': {
    body: LinkChange;
    reply: {
      success: true;
      data: Link;
    };
  };
  /** List customers */
  'GET /api/advertiser/affiliate-programs/:id/customers': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** A click id, or the start of a `customer_key`, ignoring the case of the letters a to z. */
      q?: string | undefined;
    };
    reply: {
      success: true;
      data: Array<Customer>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Get a customer */
  'GET /api/advertiser/affiliate-programs/:id/customers/:customerId': {
    reply: {
      success: true;
      data: Customer;
    };
  };
  /** List commission policies */
  'GET /api/advertiser/affiliate-programs/:id/commission-policies': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Part of the product id, or of the name of the partner, ignoring case. */
      q?: string | undefined;
      /** Type of the commissions. Defaults to all. */
      type?: 'percent' | 'flat' | undefined;
      /** Lists only policies that apply to this partner: policies for this partner, and policies for all partners. */
      partner_id?: number | undefined;
      /** The column to sort by. Defaults to `created_at`. */
      sort?: 'created_at' | 'product_id' | 'partner_name' | undefined;
      /** Ascending or descending. Defaults to `asc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: {
      success: true;
      data: Array<ListedPolicy>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create a policy for a product or a partner */
  'POST /api/advertiser/affiliate-programs/:id/commission-policies': {
    body: PolicyRequest;
    reply: {
      success: true;
      data: Policy;
    };
  };
  /** Change the terms of a policy */
  'PUT /api/advertiser/affiliate-programs/:id/commission-policies/:policyId': {
    body: PolicyChange;
    reply: {
      success: true;
      data: Policy;
    };
  };
  /** Delete a policy */
  'DELETE /api/advertiser/affiliate-programs/:id/commission-policies/:policyId': {
    reply: {
      success: true;
    };
  };
  /** Compute the commission of a hypothetical sale */
  'POST /api/advertiser/affiliate-programs/:id/commission-policies/simulate': {
    body: CommissionSimulation;
    reply: {
      success: true;
      data: {
        /** Whether the sale earns a commission. */
        earns: boolean;
        /** Stable code of the reason, as in the trace. */
        reason: 'policy_applied' | 'renewal_of_subscription' | 'window_expired' | 'recurring_ended' | 'below_min_sale' | 'zero_amount' | 'no_partner_program';
        /** The rule behind the decision, as in the trace. */
        why: string;
        /** Commission, in the smallest unit of the currency. 0 if the sale earns no commission. */
        amount_cents: number;
        /** ISO 4217 code. */
        currency: string;
        /** Amount that a percent commission is computed from. */
        base_cents: number;
        days_since_click: number;
        /** Attribution window in days: `window_days` of the request, or else the window of the program. */
        window_days: number;
        /** Number of months in which renewals earn with the chosen policy. Null means no limit. */
        recurring_months: number | null;
        /** One part per policy if several policies cover the sale. */
        parts: Array<{
          /** Id of the version of the policy; null for the draft. */
          policy_version_id: number | null;
          product_ids: Array<string | null>;
          base_cents: number;
          amount_cents: number;
        }>;
        /** Every policy that the simulation considered. Empty if the decision did not depend on a policy. */
        candidates: Array<{
          /** Id of the policy; null for the draft. */
          policy_id: number | null;
          version: number | null;
          /** Id of the version of the policy; null for the draft. */
          policy_version_id: number | null;
          /** Your id of the product; null covers all products. */
          product_id: string | null;
          /** Id of the partner; null covers all partners. */
          partner_id: number | null;
          /** Whether the commission is a percentage of the sale or a flat amount. */
          type: 'percent' | 'flat';
          /** Percentage in basis points: 2000 is 20%. */
          rate_bps: number | null;
          /** Flat amount, in the smallest unit of the program's currency. */
          amount_cents: number | null;
          /** Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns. */
          recurring_months: number | null;
          /** Whether this is the draft of the request. */
          is_draft: boolean;
          /** Why the policy was or was not chosen. `replaced`: the draft is used instead of this policy. */
          verdict: 'chosen' | 'less_specific' | 'other_product' | 'other_partner' | 'replaced';
        }>;
      };
    };
  };
  /** List commissions */
  'GET /api/advertiser/affiliate-programs/:id/commissions': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Start of a transaction id, ignoring the case of the letters a to z. The search covers only the first 1,000 matching transaction ids. */
      q?: string | undefined;
      /** Status of the commissions. Defaults to all. */
      status?: 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded' | undefined;
      /** Id of a partner. Defaults to all. */
      partner_id?: number | undefined;
      /** Id of the payout that contains the commissions. Defaults to all. */
      payout_id?: number | undefined;
      /** `1` lists only commissions that wait for an approval. For them, the end of the hold has no effect. */
      needs_approval?: boolean | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
      /** The column to sort by. Defaults to `commission_date`. `amount_cents` groups the rows by currency, from A to Z. `order` sorts the amounts within each currency. */
      sort?: 'commission_date' | 'amount_cents' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: {
      success: true;
      data: Array<Commission>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Sum commissions by status and currency */
  'GET /api/advertiser/affiliate-programs/:id/commissions/totals': {
    query: {
      /** Start of a transaction id, ignoring the case of the letters a to z. The search covers only the first 1,000 matching transaction ids. */
      q?: string | undefined;
      /** Status of the commissions. Defaults to all. */
      status?: 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded' | undefined;
      /** Id of a partner. Defaults to all. */
      partner_id?: number | undefined;
      /** Id of the payout that contains the commissions. Defaults to all. */
      payout_id?: number | undefined;
      /** `1` lists only commissions that wait for an approval. For them, the end of the hold has no effect. */
      needs_approval?: boolean | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
    };
    reply: {
      success: true;
      data: Array<{
        /** Status of the commission. */
        status: 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded';
        /** ISO 4217 code. */
        currency: string;
        count: number;
        /** Sum of `amount_cents` of the commissions. */
        amount_cents: number;
        /** Sum of `deducted_cents` of the commissions. */
        deducted_cents: number;
        /** Sum of `adjusted_cents` of the commissions. */
        adjusted_cents: number;
      }>;
    };
  };
  /** Get a commission */
  'GET /api/advertiser/affiliate-programs/:id/commissions/:commissionId': {
    reply: {
      success: true;
      data: Commission;
    };
  };
  /** Export commissions as CSV */
  'GET /api/advertiser/affiliate-programs/:id/commissions.csv': {
    query: {
      /** Start of a transaction id, ignoring the case of the letters a to z. The search covers only the first 1,000 matching transaction ids. */
      q?: string | undefined;
      /** Status of the commissions. Defaults to all. */
      status?: 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded' | undefined;
      /** Id of a partner. Defaults to all. */
      partner_id?: number | undefined;
      /** Id of the payout that contains the commissions. Defaults to all. */
      payout_id?: number | undefined;
      /** `1` lists only commissions that wait for an approval. For them, the end of the hold has no effect. */
      needs_approval?: boolean | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
      /** The column to sort by. Defaults to `commission_date`. `amount_cents` groups the rows by currency, from A to Z. `order` sorts the amounts within each currency. */
      sort?: 'commission_date' | 'amount_cents' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: ReadableStream<Uint8Array>;
  };
  /** Approve a commission before its hold ends */
  'POST /api/advertiser/affiliate-programs/:id/commissions/:commissionId/approve': {
    reply: {
      success: true;
      data: Commission;
    };
  };
  /** Reject a commission and deduct it from the partner's balance */
  'POST /api/advertiser/affiliate-programs/:id/commissions/:commissionId/reject': {
    reply: {
      success: true;
      data: Commission;
    };
  };
  /** Adjust a commission manually */
  'POST /api/advertiser/affiliate-programs/:id/commissions/:commissionId/adjust': {
    body: CommissionCorrection;
    reply: {
      success: true;
      data: {
        /** Row id. */
        id: number;
        /** Id of the sale. */
        sale_id: number;
        /** Your id of the payment. */
        transaction_id: string;
        /** Amount of the sale, in the smallest unit of `sale_currency`. */
        sale_amount_cents: number;
        /** Currency of the sale. It can differ from `currency` if the commission is a flat amount. */
        sale_currency: string;
        /** Id of the partner. */
        partner_id: number | null;
        /** Display name of the partner. */
        partner_name: string;
        /** Status of the commission. */
        status: 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded';
        /** Amount, in the smallest unit of the currency. */
        amount_cents: number;
        /** Amount deducted by refunds. For a rejected commission, it is `amount_cents`. The rejection also deducts the adjustments, which this amount does not include. */
        deducted_cents: number;
        /** Sum of the adjustments. A negative sum was subtracted from the partner's balance. */
        adjusted_cents: number;
        /** ISO 4217 code. */
        currency: string;
        /** Your id of the subscription. */
        subscription_id: string | null;
        /** Reason for the refund. */
        refund_reason: string | null;
        commission_date: string;
        /** When the hold ends. */
        releasable_at: string;
        /** Whether the commission becomes payable only when it is approved. The end of the hold then has no effect. */
        needs_approval: boolean;
        /** Whether a dispute of the payment is open. Until it ends, the commission is not payable. */
        disputed: boolean;
        approved_at: string | null;
        rejected_at: string | null;
        /** Id of the payout. */
        payout_id: number | null;
        /** When the payout was marked as paid. */
        paid_at: string | null;
        /** When the row was created. */
        created_at: string;
        adjustment: {
          /** Row id. */
          id: number;
          /** Amount, in the smallest unit of the currency. */
          amount_cents: number;
          /** Reason for the adjustment. */
          reason: string;
          /** When the row was created. */
          created_at: string;
        };
      };
    };
  };
  /** List payouts */
  'GET /api/advertiser/affiliate-programs/:id/payouts': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Part of the partner's name, the partner's email address, or the payout's reference, ignoring case. */
      q?: string | undefined;
      /** Status of the payouts. Defaults to all. */
      status?: 'pending' | 'paid' | 'cancelled' | undefined;
      /** Id of a partner. Defaults to all. */
      partner_id?: number | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
      /** The column to sort by. Defaults to `created_at`. `amount_cents` groups the rows by currency, from A to Z. `order` sorts the amounts within each currency. */
      sort?: 'created_at' | 'paid_at' | 'amount_cents' | 'partner_name' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: {
      success: true;
      data: Array<Payout>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create payouts of all payable amounts */
  'POST /api/advertiser/affiliate-programs/:id/payouts': {
    body: PayoutOrder;
    reply: {
      success: true;
      data: Array<Payout>;
    };
  };
  /** Get a payout */
  'GET /api/advertiser/affiliate-programs/:id/payouts/:payoutId': {
    reply: {
      success: true;
      data: Payout;
    };
  };
  /** Mark a payout as paid */
  'POST /api/advertiser/affiliate-programs/:id/payouts/:payoutId/mark-paid': {
    body: PayoutPayment;
    reply: {
      success: true;
      data: Payout;
    };
  };
  /** Cancel a payout and release its commissions */
  'POST /api/advertiser/affiliate-programs/:id/payouts/:payoutId/cancel': {
    reply: {
      success: true;
      data: Payout;
    };
  };
  /** Export payouts as CSV */
  'GET /api/advertiser/affiliate-programs/:id/payouts.csv': {
    query: {
      /** Part of the partner's name, the partner's email address, or the payout's reference, ignoring case. */
      q?: string | undefined;
      /** Status of the payouts. Defaults to all. */
      status?: 'pending' | 'paid' | 'cancelled' | undefined;
      /** Id of a partner. Defaults to all. */
      partner_id?: number | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
      /** The column to sort by. Defaults to `created_at`. `amount_cents` groups the rows by currency, from A to Z. `order` sorts the amounts within each currency. */
      sort?: 'created_at' | 'paid_at' | 'amount_cents' | 'partner_name' | undefined;
      /** Ascending or descending. Defaults to `desc`. */
      order?: 'asc' | 'desc' | undefined;
    };
    reply: ReadableStream<Uint8Array>;
  };
  /** Get a partner's payout details, masked */
  'GET /api/advertiser/affiliate-programs/:id/partners/:partnerId/payout-details': {
    reply: {
      success: true;
      data: MaskedPayoutDetails | null;
    };
  };
  /** List batches of payouts */
  'GET /api/advertiser/affiliate-programs/:id/payout-batches': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<PayoutBatch>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Put pending payouts into a batch */
  'POST /api/advertiser/affiliate-programs/:id/payout-batches': {
    body: PayoutBatchOrder;
    reply: {
      success: true;
      /** The batch. Null if no payout can be sent. No batch is created in this case. */
      data: PayoutBatch | null;
      /** The payouts that are not in the batch, at most 5,000. */
      left_out: Array<{
        /** Id of the payout. */
        payout_id: number;
        partner_id: number | null;
        /** Why the payout is not in the batch. */
        reason: 'not_found' | 'not_pending' | 'in_batch' | 'zero_amount' | 'below_minimum' | 'other_currency' | 'no_details' | 'other_method' | 'amount_too_large' | 'unsupported_amount' | 'unsupported_text' | 'partner_excluded' | 'batch_full';
      }>;
      /** Number of all payouts that are not in the batch, including those that `left_out` does not list. */
      left_out_total: number;
    };
  };
  /** Get a batch with its payouts */
  'GET /api/advertiser/affiliate-programs/:id/payout-batches/:batchId': {
    reply: {
      success: true;
      data: PayoutBatchDetail;
    };
  };
  /** Download the file of a batch */
  'GET /api/advertiser/affiliate-programs/:id/payout-batches/:batchId/file': {
    reply: ReadableStream<Uint8Array>;
  };
  /** Cancel a batch that was not sent */
  'POST /api/advertiser/affiliate-programs/:id/payout-batches/:batchId/cancel': {
    reply: {
      success: true;
      data: PayoutBatch;
    };
  };
  /** Import the results of a batch */
  'POST /api/advertiser/affiliate-programs/:id/payout-batches/:batchId/import': {
    query: {
      /** The service that wrote the report, or `csv` for a file with the columns `payout_id`, `status` (`paid` or `failed`), `reference`, and `reason`. */
      format?: 'paypal' | 'wise' | 'csv' | undefined;
      /** `1` checks the file and stores nothing. */
      dry_run?: boolean | undefined;
    };
    csv: string;
    reply: {
      success: true;
      /** One result per row of the file, in its order. */
      data: Array<{
        /** Line of the file on which the row ends, starting at 1. */
        line: number;
        ok: true;
        /** Id of the payout. */
        payout_id: number;
        /** `sent`: the payment service has no result yet. */
        status: 'paid' | 'failed' | 'sent';
        /** Whether the row changes the payout. A repeated import changes nothing. */
        is_changed: boolean;
      } | {
        /** Line of the file on which the row ends, starting at 1. */
        line: number;
        ok: false;
        /** Stable code of the error. The row was not applied. */
        code: string;
        /** Error message, with what to do. */
        error: string;
      }>;
      meta: {
        /** Whether the file was only checked, and nothing was stored. */
        dry_run: boolean;
        /** Number of payouts that became paid. */
        paid: number;
        /** Number of payouts that failed, and can be sent again. */
        failed: number;
        /** Number of rows without a new result. */
        unchanged: number;
        /** Number of rows that were not applied. */
        rejected: number;
      };
    };
  };
  /** Get the payout settings of a program */
  'GET /api/advertiser/affiliate-programs/:id/payout-settings': {
    reply: {
      success: true;
      data: PayoutSettings;
    };
  };
  /** Change the payout settings of a program */
  'PUT /api/advertiser/affiliate-programs/:id/payout-settings': {
    body: PayoutSettingsChange;
    reply: {
      success: true;
      data: PayoutSettings;
    };
  };
  /** List the payouts that the schedule has proposed */
  'GET /api/advertiser/affiliate-programs/:id/payout-runs': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<PayoutRun>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create the payouts of a proposal */
  'POST /api/advertiser/affiliate-programs/:id/payout-runs/:runId/confirm': {
    body: PayoutRunConfirmation;
    reply: {
      success: true;
      data: PayoutRun;
      /** The payouts that were created. Empty for a repeated request. */
      payouts: Array<Payout>;
    };
  };
  /** Dismiss a proposal */
  'POST /api/advertiser/affiliate-programs/:id/payout-runs/:runId/dismiss': {
    reply: {
      success: true;
      data: PayoutRun;
    };
  };
  /** Approve or reject commissions */
  'POST /api/advertiser/affiliate-programs/:id/commissions/bulk': {
    body: CommissionReview;
    reply: {
      success: true;
      /** One result per row, in the order of the request. */
      data: Array<{
        /** Row id. */
        id: number;
        ok: true;
        /** Status after the change. */
        status: 'pending' | 'approved' | 'rejected' | 'banned' | 'paid' | 'reversed' | 'refunded';
      } | {
        /** Row id. */
        id: number;
        ok: false;
        /** Stable code of the error. The row was not changed. */
        code: string;
        /** Error message. */
        error: string;
      }>;
      meta: {
        /** Number of rows that now have the requested status. */
        succeeded: number;
        /** Number of rows that were not changed. */
        failed: number;
      };
    };
  };
  /** Approve, reject or ban partners */
  'POST /api/advertiser/affiliate-programs/:id/partners/bulk': {
    body: PartnerReview;
    reply: {
      success: true;
      /** One result per row, in the order of the request. */
      data: Array<{
        /** Row id. */
        id: number;
        ok: true;
        /** Status after the change. */
        status: 'pending' | 'approved' | 'rejected' | 'banned' | 'paid' | 'reversed' | 'refunded';
      } | {
        /** Row id. */
        id: number;
        ok: false;
        /** Stable code of the error. The row was not changed. */
        code: string;
        /** Error message. */
        error: string;
      }>;
      meta: {
        /** Number of rows that now have the requested status. */
        succeeded: number;
        /** Number of rows that were not changed. */
        failed: number;
      };
    };
  };
  /** List the payouts that would be created now */
  'POST /api/advertiser/affiliate-programs/:id/payouts/preview': {
    body: PayoutPreviewOrder;
    reply: {
      success: true;
      data: Array<{
        /** Id of the partner. */
        partner_id: number;
        /** Display name of the partner. */
        partner_name: string;
        /** Email address. */
        partner_email: string;
        /** ISO 4217 code. */
        currency: string;
        /** Amount, in the smallest unit of the currency. */
        amount_cents: number;
      }>;
      meta: {
        /** Sums by currency. */
        totals: Array<{
          /** ISO 4217 code. */
          currency: string;
          payouts: number;
          /** Amount, in the smallest unit of the currency. */
          amount_cents: number;
        }>;
      };
    };
  };
  /** Mark payouts as paid */
  'POST /api/advertiser/affiliate-programs/:id/payouts/mark-paid': {
    body: PayoutPayments;
    reply: {
      success: true;
      /** One result per row, in the order of the request. */
      data: Array<{
        /** Row id. */
        id: number;
        ok: true;
        /** Status after the change. */
        status: 'pending' | 'approved' | 'rejected' | 'banned' | 'paid' | 'reversed' | 'refunded';
      } | {
        /** Row id. */
        id: number;
        ok: false;
        /** Stable code of the error. The row was not changed. */
        code: string;
        /** Error message. */
        error: string;
      }>;
      meta: {
        /** Number of rows that now have the requested status. */
        succeeded: number;
        /** Number of rows that were not changed. */
        failed: number;
      };
    };
  };
  /** List management keys, masked */
  'GET /api/advertiser/api-keys': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<ApiKey>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create a management key */
  'POST /api/advertiser/api-keys': {
    body: ApiKeyRequest;
    reply: {
      success: true;
      data: {
        /** Row id. */
        id: number;
        /** Id of the workspace. */
        workspace_id: number;
        /** Display name of the key. */
        name: string;
        /** First characters of the key. */
        prefix: string;
        /** Actions that the key allows; `*` allows all. */
        scopes: Array<'*' | 'program:list' | 'program:read' | 'program:create' | 'program:update' | 'program:delete' | 'program:go_live' | 'program:regenerate-token' | 'partner:list' | 'partner:create' | 'partner:update' | 'link:list' | 'link:create' | 'link:update' | 'customer:list' | 'policy:list' | 'policy:create' | 'policy:update' | 'policy:delete' | 'commission:list' | 'commission:update' | 'payout:list' | 'payout:create' | 'payout:update' | 'trace:read' | 'dashboard:view'>;
        /** Ids of the programs that the key covers; null means all. */
        program_scope: Array<string> | null;
        /** When the key expires; null means never. */
        expires_at: string | null;
        /** Whether the key was revoked. */
        status: 'active' | 'revoked';
        /** Masked key. Only its start and end are shown. */
        key_masked: string;
        last_used_at: string | null;
        /** When the row was created. */
        created_at: string;
        /** The key. Only this reply shows it. */
        key: string;
      };
    };
  };
  /** Rename a key or change its scopes */
  'PUT /api/advertiser/api-keys/:id': {
    body: ApiKeyChange;
    reply: {
      success: true;
      data: ApiKey;
    };
  };
  /** Revoke a key */
  'DELETE /api/advertiser/api-keys/:id': {
    reply: {
      success: true;
      data: ApiKey;
    };
  };
  /** List connections to a payment processor */
  'GET /api/advertiser/processor-connections': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<ProcessorConnection>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Connect a payment processor */
  'POST /api/advertiser/processor-connections': {
    body: ProcessorConnectionRequest;
    reply: {
      success: true;
      data: ProcessorConnection;
    };
  };
  /** Update a connection */
  'PUT /api/advertiser/processor-connections/:id': {
    body: ProcessorConnectionChange;
    reply: {
      success: true;
      data: ProcessorConnection;
    };
  };
  /** Disconnect a processor */
  'DELETE /api/advertiser/processor-connections/:id': {
    reply: {
      success: true;
      data: ProcessorConnection;
    };
  };
  /** List webhook endpoints */
  'GET /api/advertiser/affiliate-programs/:id/webhook-endpoints': {
    reply: {
      success: true;
      data: Array<WebhookEndpoint>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Create a webhook endpoint */
  'POST /api/advertiser/affiliate-programs/:id/webhook-endpoints': {
    body: NewWebhookEndpoint;
    reply: {
      success: true;
      data: WebhookEndpointSecret;
    };
  };
  /** Get a webhook endpoint */
  'GET /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId': {
    reply: {
      success: true;
      data: WebhookEndpoint;
    };
  };
  /** Change a webhook endpoint */
  'PUT /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId': {
    body: WebhookEndpointChange;
    reply: {
      success: true;
      data: WebhookEndpoint;
    };
  };
  /** Delete a webhook endpoint */
  'DELETE /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId': {
    reply: {
      success: true;
    };
  };
  /** Replace the secret of a webhook endpoint */
  'POST /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/rotate-secret': {
    reply: {
      success: true;
      data: WebhookEndpointSecret;
    };
  };
  /** Pause a webhook endpoint */
  'POST /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/pause': {
    reply: {
      success: true;
      data: WebhookEndpoint;
    };
  };
  /** Resume a webhook endpoint */
  'POST /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/resume': {
    reply: {
      success: true;
      data: WebhookEndpoint;
    };
  };
  /** Send a test event to a webhook endpoint */
  'POST /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/test': {
    reply: {
      success: true;
      data: {
        /** Id of the delivery. */
        delivery_id: number;
      };
    };
  };
  /** Send webhooks of a time range again */
  'POST /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/replay': {
    body: WebhookReplay;
    reply: {
      success: true;
      data: {
        /** Number of deliveries that were queued again. */
        replayed: number;
      };
    };
  };
  /** List the deliveries of a webhook endpoint */
  'GET /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/deliveries': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
      /** Only deliveries in this state. */
      status?: 'queued' | 'succeeded' | 'failed' | undefined;
      /** Only deliveries of events of this type. */
      type?: 'lead.created' | 'sale.created' | 'commission.created' | 'commission.approved' | 'commission.rejected' | 'commission.reversed' | 'refund.created' | 'payout.created' | 'payout.paid' | 'payout.cancelled' | 'partner.applied' | 'partner.approved' | 'partner.rejected' | 'integration.failing' | 'webhook.test' | undefined;
    };
    reply: {
      success: true;
      data: Array<WebhookDelivery>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Get a delivery with its event and its log */
  'GET /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/deliveries/:deliveryId': {
    reply: {
      success: true;
      data: WebhookDeliveryDetail;
    };
  };
  /** Send a webhook again */
  'POST /api/advertiser/affiliate-programs/:id/webhook-endpoints/:endpointId/deliveries/:deliveryId/replay': {
    reply: {
      success: true;
      data: WebhookDeliveryDetail;
    };
  };
  /** Get totals of all programs that the caller may read */
  'GET /api/advertiser/dashboard/summary': {
    query: {
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
    };
    reply: {
      success: true;
      data: Summary;
    };
  };
  /** Get measures over time */
  'GET /api/advertiser/affiliate-programs/:id/series': {
    query: {
      /** Measures, separated by commas: clicks, leads, conversions, sales, partners, revenue, commission. Defaults to all measures of the unit. */
      measures?: string | undefined;
      /** Id of a partner. Defaults to the whole program. */
      partner_id?: number | undefined;
      /** First day: the UTC day of this date or instant (ISO 8601). Defaults to 29 days before `dateTo`, or to `dateTo` for `unit=hour`. */
      dateFrom?: string | undefined;
      /** Last day: the UTC day of this date or instant (ISO 8601). Defaults to today. */
      dateTo?: string | undefined;
      /** Length of an interval. `hour` has only clicks, leads and sales of the whole program. */
      unit?: 'day' | 'hour' | undefined;
    };
    reply: {
      success: true;
      data: {
        unit: 'day' | 'hour';
        /** Start of each interval. */
        times: Array<string>;
        /** One series for each measure that is a count. A measure that is an amount has one series for each currency. */
        series: Array<{
          measure: 'clicks' | 'leads' | 'conversions' | 'sales' | 'partners' | 'revenue' | 'commission';
          /** ISO 4217 code of an amount; null for a count. */
          currency: string | null;
          /** A value for each of `times`. Amounts are in the smallest unit of the currency. */
          values: Array<number>;
          total: number;
          /** The values of the previous range, in the same order. */
          previous_values: Array<number>;
          previous_total: number;
        }>;
      };
      meta: {
        /** First instant of the range. */
        date_from: string;
        /** Last instant of the range. */
        date_to: string;
        /** The preceding range of equal length. */
        previous: {
          /** First instant of the range. */
          date_from: string;
          /** Last instant of the range. */
          date_to: string;
        };
      };
    };
  };
  /** Rank partners or links */
  'GET /api/advertiser/affiliate-programs/:id/top': {
    query: {
      /** Whether partners or links are ranked. */
      by?: 'partner' | 'link' | undefined;
      /** The measure that decides the rank. Links are ranked only by clicks. */
      measure?: 'clicks' | 'leads' | 'sales' | 'revenue' | 'commission' | undefined;
      /** ISO 4217 code of the currency of revenue and commission. Defaults to the program's currency. */
      currency?: string | undefined;
      /** First day: the UTC day of this date or instant (ISO 8601). Defaults to 29 days before `dateTo`, or to `dateTo` for `unit=hour`. */
      dateFrom?: string | undefined;
      /** Last day: the UTC day of this date or instant (ISO 8601). Defaults to today. */
      dateTo?: string | undefined;
      /** Number of rows, at most 50. */
      limit?: number | undefined;
    };
    reply: {
      success: true;
      data: Array<{
        /** Id of the partner. */
        partner_id: number | null;
        /** Display name of the partner. */
        partner_name: string | null;
        /** Id of the link, if links are ranked. */
        link_id?: number | undefined;
        /** Code of the link, if links are ranked. */
        short_link?: string | undefined;
        /** The count, or the amount in the smallest unit of the currency. */
        value: number;
      }>;
      meta: {
        /** First instant of the range. */
        date_from: string;
        /** Last instant of the range. */
        date_to: string;
        measure: 'clicks' | 'leads' | 'sales' | 'revenue' | 'commission';
        /** ISO 4217 code of an amount; null for a count. */
        currency: string | null;
      };
    };
  };
  /** List notifications */
  'GET /api/advertiser/notifications': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
      /** With `1`, lists only notifications that are not marked as read. */
      unread?: boolean | undefined;
    };
    reply: {
      success: true;
      data: Array<Notification>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
        /** Number of notifications that are not marked as read, on all pages. */
        unread_count: number;
      };
    };
  };
  /** Mark all notifications as read */
  'POST /api/advertiser/notifications/read-all': {
    body: NotificationsRead;
    reply: {
      success: true;
      data: {
        /** Number of notifications that were not marked as read before. */
        marked: number;
      };
    };
  };
  /** Mark a notification as read */
  'POST /api/advertiser/notifications/:id/read': {
    reply: {
      success: true;
      data: Notification;
    };
  };
  /** Get the email preferences of the user */
  'GET /api/auth/email-preferences': {
    reply: {
      success: true;
      data: {
        /** Whether members get emails about new applications, payouts, and failing webhooks, and a weekly email on Mondays about open tasks. */
        review_tasks: boolean;
        /** Whether partners get an email when a refund reduces one of their commissions. */
        commission_changes: boolean;
        /** Whether partners get a monthly email with their results of the previous month. */
        monthly_summary: boolean;
      };
    };
  };
  /** Change the email preferences of the user */
  'PUT /api/auth/email-preferences': {
    body: EmailPreferencesChange;
    reply: {
      success: true;
      data: {
        /** Whether members get emails about new applications, payouts, and failing webhooks, and a weekly email on Mondays about open tasks. */
        review_tasks: boolean;
        /** Whether partners get an email when a refund reduces one of their commissions. */
        commission_changes: boolean;
        /** Whether partners get a monthly email with their results of the previous month. */
        monthly_summary: boolean;
      };
    };
  };
  /** List emails */
  'GET /api/advertiser/emails': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
      /** Lists only emails with this status. */
      status?: 'queued' | 'sent' | 'failed' | undefined;
      /** Lists only emails of this kind. */
      kind?: 'password_reset' | 'member_invitation' | 'partner_invitation' | 'application_received' | 'address_confirmation' | 'application_approved' | 'application_rejected' | 'review_task' | 'review_digest' | 'payouts_proposed' | 'payout_problem' | 'webhook_failing' | 'commission_refunded' | 'commission_reversed' | 'payout_created' | 'payout_paid' | 'payout_failed' | 'payout_details_changed' | 'monthly_summary' | 'test' | undefined;
      /** Lists only emails of this program. */
      program_id?: number | undefined;
      /** Part of the recipient, ignoring case. */
      q?: string | undefined;
    };
    reply: {
      success: true;
      data: Array<Email>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Send a test email to yourself */
  'POST /api/advertiser/emails/test': {
    body: TestEmail;
    reply: {
      success: true;
      data: Email;
    };
  };
  /** List email templates */
  'GET /api/advertiser/affiliate-programs/:id/email-templates': {
    reply: {
      success: true;
      data: Array<{
        /** The kind of the emails. */
        template: 'password_reset' | 'member_invitation' | 'partner_invitation' | 'application_received' | 'address_confirmation' | 'application_approved' | 'application_rejected' | 'review_task' | 'review_digest' | 'payouts_proposed' | 'payout_problem' | 'webhook_failing' | 'commission_refunded' | 'commission_reversed' | 'payout_created' | 'payout_paid' | 'payout_failed' | 'payout_details_changed' | 'monthly_summary';
        /** The preference that turns these emails off. Null if they cannot be turned off. */
        category: 'review_tasks' | 'commission_changes' | 'monthly_summary' | null;
        /** Whether the emails are always sent, because the recipient needs them. */
        is_transactional: boolean;
        from: {
          /** Name of the sender, which can be empty. */
          name: string;
          /** Address of the sender. Null if the service sends no email. */
          address: string | null;
        };
        subject: string;
        /** The HTML part. It has no scripts and no images, and its links lead nowhere. */
        html: string;
        /** The text part. */
        text: string;
      }>;
      meta: {
        /** `email` if the service sends emails, otherwise `none`. */
        delivery: 'email' | 'none';
      };
    };
  };
  /** List the audit log */
  'GET /api/advertiser/audit-log': {
    query: {
      /** Page number, starting at 1. */
      page?: number | undefined;
      /** Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used. */
      pageSize?: number | undefined;
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
      /** Email address of the user who made the changes. */
      actor?: string | undefined;
      /** Action, such as `partner.update`. */
      action?: string | undefined;
      /** Kind of the changed row, with or without its id: `partner`, `partner:12`. */
      subject?: string | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
    };
    reply: {
      success: true;
      data: Array<Change>;
      meta: {
        pagination: {
          page: number;
          pageSize: number;
          pageCount: number;
          total: number;
          /** Present if more rows match than can be listed. `total` is then the number of rows that can be listed. */
          total_capped?: true | undefined;
        };
      };
    };
  };
  /** Export the audit log as CSV */
  'GET /api/advertiser/audit-log.csv': {
    query: {
      /** Id of a workspace. Defaults to all workspaces that the caller may read. */
      workspace_id?: number | undefined;
      /** Email address of the user who made the changes. */
      actor?: string | undefined;
      /** Action, such as `partner.update`. */
      action?: string | undefined;
      /** Kind of the changed row, with or without its id: `partner`, `partner:12`. */
      subject?: string | undefined;
      /** Start of the range: a date (from 00:00 UTC) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateFrom?: string | undefined;
      /** End of the range: a date (until the end of its UTC day) or instant (ISO 8601, UTC unless it has a zone), inclusive. */
      dateTo?: string | undefined;
    };
    reply: ReadableStream<Uint8Array>;
  };
}

export type ApiKey = {
  /** Row id. */
  id: number;
  /** Id of the workspace. */
  workspace_id: number;
  /** Display name of the key. */
  name: string;
  /** First characters of the key. */
  prefix: string;
  /** Actions that the key allows; `*` allows all. */
  scopes: Array<'*' | 'program:list' | 'program:read' | 'program:create' | 'program:update' | 'program:delete' | 'program:go_live' | 'program:regenerate-token' | 'partner:list' | 'partner:create' | 'partner:update' | 'link:list' | 'link:create' | 'link:update' | 'customer:list' | 'policy:list' | 'policy:create' | 'policy:update' | 'policy:delete' | 'commission:list' | 'commission:update' | 'payout:list' | 'payout:create' | 'payout:update' | 'trace:read' | 'dashboard:view'>;
  /** Ids of the programs that the key covers; null means all. */
  program_scope: Array<string> | null;
  /** When the key expires; null means never. */
  expires_at: string | null;
  /** Whether the key was revoked. */
  status: 'active' | 'revoked';
  /** Masked key. Only its start and end are shown. */
  key_masked: string;
  last_used_at: string | null;
  /** When the row was created. */
  created_at: string;
};

export type ApiKeyChange = {
  /** Display name of the key. */
  name?: string | null | undefined;
  /** Actions that the key allows; `*` allows all. */
  scopes?: Array<'*' | 'program:list' | 'program:read' | 'program:create' | 'program:update' | 'program:delete' | 'program:go_live' | 'program:regenerate-token' | 'partner:list' | 'partner:create' | 'partner:update' | 'link:list' | 'link:create' | 'link:update' | 'customer:list' | 'policy:list' | 'policy:create' | 'policy:update' | 'policy:delete' | 'commission:list' | 'commission:update' | 'payout:list' | 'payout:create' | 'payout:update' | 'trace:read' | 'dashboard:view'> | null | undefined;
  /** Ids of the programs that the key covers; null means all. */
  program_scope?: Array<number | string> | null | undefined;
};

export type ApiKeyRequest = {
  /** Display name of the key. */
  name: string;
  /** Actions that the key allows; `*` allows all. */
  scopes?: Array<'*' | 'program:list' | 'program:read' | 'program:create' | 'program:update' | 'program:delete' | 'program:go_live' | 'program:regenerate-token' | 'partner:list' | 'partner:create' | 'partner:update' | 'link:list' | 'link:create' | 'link:update' | 'customer:list' | 'policy:list' | 'policy:create' | 'policy:update' | 'policy:delete' | 'commission:list' | 'commission:update' | 'payout:list' | 'payout:create' | 'payout:update' | 'trace:read' | 'dashboard:view'> | null | undefined;
  /** Ids of the programs that the key covers; null means all. */
  program_scope?: Array<number | string> | null | undefined;
  /** When the key expires: a date (00:00 UTC) or instant (UTC unless it has a zone). Null means never. */
  expires_at?: string | null | undefined;
  /** Id of the workspace. Optional for callers with one workspace. */
  workspace_id?: number | '' | null | undefined;
};

export type Change = {
  /** Row id. */
  id: number;
  /** Id of the workspace. */
  workspace_id: number;
  /** Id of the program. */
  program_id: number | null;
  actor: {
    kind: 'user' | 'key' | 'system';
    /** Row id of the user or key. */
    id: number | null;
    /** Email address of the user. */
    email: string | null;
  };
  action: string;
  subject: {
    kind: string;
    /** Row id. */
    id: number | null;
  };
  before: unknown;
  after: unknown;
  /** Id of the request, as in the header `X-Request-Id`. */
  request_id: string | null;
  /** When the row was created. */
  created_at: string;
};

export type ChangedPartner = {
  /** Row id. */
  id: number;
  /** Id of the enrollment. */
  partner_program_id: number;
  /** Display name of the partner. */
  name: string;
  /** Email address. */
  email: string;
  /** Status of the enrollment. Links record clicks only while the partner is approved. */
  status: 'pending' | 'approved' | 'rejected' | 'banned';
  /** Reason for the status. The partner can read the reason. */
  status_reason: string | null;
  /** When the partner applied. Null if the partner was invited. */
  applied_at: string | null;
  /** Amount owed to the partner, including payouts in progress. */
  balance_cents: number;
  /** Amount that a payout would include now. */
  payable_cents: number;
  balances: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Amount owed to the partner, including payouts in progress. */
    balance_cents: number;
    /** Amount that a payout would include now. */
    payable_cents: number;
  }>;
  clicks: number;
  leads: number;
  conversions: number;
  links: Array<Link>;
  /** Null if the partner was invited. */
  application: {
    /** When the partner applied. */
    applied_at: string;
    /** Answers of the applicant. */
    answers: Array<{
      /** `id` of the question. */
      question: string;
      /** Text of the question when the partner applied. */
      label: string;
      /** Type of the answer. */
      type: 'text' | 'long_text' | 'url' | 'number' | 'choice' | 'checkbox';
      /** The answer. */
      answer: string;
    }>;
    /** Code that the applicant entered. */
    invitation_code: string | null;
    /** The rule that approved the application. */
    approved_by: 'email_domain' | 'invitation_code' | null;
    /** When the applicant confirmed the email address. Null until then. */
    email_confirmed_at: string | null;
  } | null;
  /** Minimum payout of this partner, in the smallest unit of the payout's currency. If null, the program's minimum applies. */
  min_payout_cents: number | null;
  /** The partner's other amounts, by currency. The payable amount is in `balances`. */
  amounts: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Sum of the commissions that wait for an approval or for the end of a dispute. */
    pending_cents: number;
    /** Sum of the commissions whose hold has not ended. */
    on_hold_cents: number;
    /** Sum of the payouts that are created but not paid yet. */
    in_payout_cents: number;
    /** Amount by which deductions exceed the payable commissions. It reduces the next payouts. */
    to_deduct_cents: number;
    /** Sum of all paid payouts. */
    paid_cents: number;
  }>;
  /** Whether the partner has accepted an invitation, and can sign in. */
  has_account: boolean;
  /** Invitation token. Only this reply shows it. */
  invite_token?: string | undefined;
  /** When the invitation expires. */
  invite_expires_at?: string | undefined;
  /** Present if the service also sends the link by email. Otherwise, send the link to the person yourself. */
  invite_delivery?: 'email' | undefined;
};

export type Commission = {
  /** Row id. */
  id: number;
  /** Id of the sale. */
  sale_id: number;
  /** Your id of the payment. */
  transaction_id: string;
  /** Amount of the sale, in the smallest unit of `sale_currency`. */
  sale_amount_cents: number;
  /** Currency of the sale. It can differ from `currency` if the commission is a flat amount. */
  sale_currency: string;
  /** Id of the partner. */
  partner_id: number | null;
  /** Display name of the partner. */
  partner_name: string;
  /** Status of the commission. */
  status: 'pending' | 'approved' | 'paid' | 'rejected' | 'reversed' | 'refunded';
  /** Amount, in the smallest unit of the currency. */
  amount_cents: number;
  /** Amount deducted by refunds. For a rejected commission, it is `amount_cents`. The rejection also deducts the adjustments, which this amount does not include. */
  deducted_cents: number;
  /** Sum of the adjustments. A negative sum was subtracted from the partner's balance. */
  adjusted_cents: number;
  /** ISO 4217 code. */
  currency: string;
  /** Your id of the subscription. */
  subscription_id: string | null;
  /** Reason for the refund. */
  refund_reason: string | null;
  commission_date: string;
  /** When the hold ends. */
  releasable_at: string;
  /** Whether the commission becomes payable only when it is approved. The end of the hold then has no effect. */
  needs_approval: boolean;
  /** Whether a dispute of the payment is open. Until it ends, the commission is not payable. */
  disputed: boolean;
  approved_at: string | null;
  rejected_at: string | null;
  /** Id of the payout. */
  payout_id: number | null;
  /** When the payout was marked as paid. */
  paid_at: string | null;
  /** When the row was created. */
  created_at: string;
};

export type CommissionCorrection = {
  /** Amount to add, in the smallest unit of the currency. A negative amount is subtracted from the partner's balance. */
  amount_cents: number;
  /** Reason for the adjustment. The partner sees it. */
  reason: string;
  /** A repeated request with the same key does not adjust the commission again. */
  idempotency_key?: string | null | undefined;
};

export type CommissionReview = {
  /** Ids of the rows, at most 100. */
  ids: Array<number>;
  /** The action for each commission. */
  action: 'approve' | 'reject';
  /** For 30 days, a repeated request with the same key changes nothing and returns the results of the first request. */
  idempotency_key?: string | null | undefined;
};

export type CommissionSimulation = {
  /** Amount of the sale, in the smallest unit of its currency. */
  amount_cents: number;
  /** Days from the last click on a link of the partner to the sale. */
  days_since_click: number;
  /** Attribution window to try, in days. Defaults to the window of the program. */
  window_days?: number | null | undefined;
  /** ISO 4217 code, in upper or lower case. */
  currency?: string | null | undefined;
  /** Your id of the product. */
  product_id?: string | null | undefined;
  /** Id of the partner. Defaults to a partner without policies of its own. */
  partner_id?: number | '' | null | undefined;
  /** Whether the sale renews a subscription whose first payment was made on the day of the click. */
  is_recurring?: boolean | null | undefined;
  /** Items of the sale: an object or an array, at most 48 KiB of JSON. They are stored unchanged. If `product_id` is absent, and this field or its field `data` is a list of `{product_id, amount_cents, tax_cents}`, each product earns commission by its own policy. */
  line_items?: Record<string, unknown> | Array<unknown> | null | undefined;
  /** Tax that `amount_cents` includes. No commission is paid on it if the program's `commission_base` is `net`. */
  tax_cents?: number | null | undefined;
  /** Shipping costs without their tax that `amount_cents` includes. No commission is paid on it if the program's `commission_base` is `net`. */
  shipping_cents?: number | null | undefined;
  /** A policy that is not stored. In the simulation, it replaces the policy with the same product and partner. */
  draft?: PolicyRequest | null | undefined;
};

export type CommissionTerms = {
  /** Whether the commission is a percentage of the sale or a flat amount. */
  type: 'percent';
  /** Percentage of the sale, with at most two decimals. */
  rate: number;
} | {
  /** Whether the commission is a percentage of the sale or a flat amount. */
  type: 'flat';
  /** Flat amount for each sale, in the smallest unit of the program's currency. */
  amount_cents: number;
};

export type Customer = {
  /** Row id. */
  id: number;
  /** Click id of the customer's click. */
  click_id: string;
  /** The furthest stage that the customer has reached. */
  customer_status: 'click' | 'lead' | 'conversion';
  /** Your id of the customer. */
  customer_key: string | null;
  /** Who set the key: a browser (`claimed`), or your server (`verified`). */
  customer_key_state: 'claimed' | 'verified' | null;
  /** Email address, masked. */
  email: string | null;
  /** Id of the partner that the customer is attributed to. */
  partner_id: number | null;
  /** Display name of that partner. */
  partner_name: string | null;
  /** Id of the link that the customer is attributed to. */
  link_id: number;
  /** Last click on a link of the customer's partner. */
  last_click_at: string;
  signup_date: string | null;
  first_purchase_date: string | null;
  /** When the row was created. */
  created_at: string;
};

export type Email = {
  /** Row id. */
  id: number;
  /** Id of the workspace. */
  workspace_id: number;
  /** Id of the program. */
  program_id: number | null;
  /** What the email is about. `test` is an example that a member asked for. */
  kind: 'password_reset' | 'member_invitation' | 'partner_invitation' | 'application_received' | 'address_confirmation' | 'application_approved' | 'application_rejected' | 'review_task' | 'review_digest' | 'payouts_proposed' | 'payout_problem' | 'webhook_failing' | 'commission_refunded' | 'commission_reversed' | 'payout_created' | 'payout_paid' | 'payout_failed' | 'payout_details_changed' | 'monthly_summary' | 'test';
  /** Email address. Masked, such as `j***@example.com`, if it is not the address of the partner in this workspace. */
  recipient: string;
  /** Id of the partner, if the email is for a partner. */
  partner_id: number | null;
  /** Id of the member who is invited. */
  member_id: number | null;
  /** `sent`: the mail server has accepted it. `failed`: the mail server has rejected it, or it could not be sent before it expired. */
  status: 'queued' | 'sent' | 'failed';
  /** Number of attempts to send it. */
  attempts: number;
  /** Why the last attempt failed. Null if no attempt has failed, or if the email was sent. */
  error: string | null;
  /** Time of the next attempt to send the email. Null if the email is not queued. */
  next_attempt_at: string | null;
  /** When the row was created. */
  created_at: string;
  /** When the email was sent or has failed. Null while it is queued. */
  finished_at: string | null;
};

export type EmailPreferencesChange = {
  /** Whether to send these emails. */
  review_tasks?: boolean | null | undefined;
  /** Whether to send these emails. */
  commission_changes?: boolean | null | undefined;
  /** Whether to send these emails. */
  monthly_summary?: boolean | null | undefined;
};

export type Event = {
  /** Row id. */
  id: number;
  /** Click id of the visitor's click. */
  click_id: string | null;
  timestamp: string;
  createdAt: string;
  /** Id of the partner: for a click, the partner of the link; for a lead or a conversion, the partner of the customer. */
  partner_id: number | null;
  /** Id of the link: for a click, the visited link; for a lead or a conversion, the link of the customer. */
  link_id: number | null;
  event_type: 'click';
  /** Your id of the visitor's session. */
  session_id: string | null;
  /** Id that the partner gave the placement or campaign. */
  sub_id: string | null;
  /** URL of the page. */
  page_url: string | null;
  /** URL of the page that the visitor came from. */
  referrer_url: string | null;
  geo_country: string | null;
  geo_region: string | null;
  geo_city: string | null;
  device_type: string | null;
  device_os: string | null;
  browser_name: string | null;
  converted: boolean;
} | {
  /** Row id. */
  id: number;
  /** Click id of the visitor's click. */
  click_id: string | null;
  timestamp: string;
  createdAt: string;
  /** Id of the partner: for a click, the partner of the link; for a lead or a conversion, the partner of the customer. */
  partner_id: number | null;
  /** Id of the link: for a click, the visited link; for a lead or a conversion, the link of the customer. */
  link_id: number | null;
  event_type: 'lead';
  /** Your id of the customer. */
  customer_key: string | null;
  /** Your id of the visitor's session. */
  session_id: string | null;
  /** URL of the page. */
  page_url: string | null;
  converted: boolean;
} | {
  /** Row id. */
  id: number;
  /** Click id of the visitor's click. */
  click_id: string | null;
  timestamp: string;
  createdAt: string;
  /** Id of the partner: for a click, the partner of the link; for a lead or a conversion, the partner of the customer. */
  partner_id: number | null;
  /** Id of the link: for a click, the visited link; for a lead or a conversion, the link of the customer. */
  link_id: number | null;
  event_type: 'conversion';
  /** Amount, in the smallest unit of the currency. */
  amount_cents: number;
  /** ISO 4217 code. */
  currency: string;
  /** Whether this is a single payment or a payment of a subscription. */
  sale_type: 'payment' | 'subscription';
  payment_status: string;
  processor_event_id: string;
  /** Whether this payment is a renewal. */
  is_recurring: boolean;
  /** Why the sale earns no commission. */
  no_commission_reason: 'window_expired' | 'recurring_ended' | 'below_min_sale' | 'zero_amount' | null;
};

export type Link = {
  /** Row id. */
  id: number;
  /** Code in the link, unique in the whole service regardless of case. */
  short_link: string;
  /** Whether the link is switched on. An active link records clicks only while its partner is approved. */
  status: 'active' | 'inactive';
  /** Id of the partner. */
  partner_id: number | null;
  /** The link itself. */
  url: string;
  clicks: number;
  last_clicked: string | null;
};

export type LinkChange = {
  /** Whether the link records clicks. */
  status?: 'active' | 'inactive' | null | undefined;
};

export type LinkRequest = {
  /** Id of the partner. */
  partner_id: number;
  /** Code in the link, unique in the whole service regardless of case. */
  short_link?: string | null | undefined;
};

export type ListedLink = {
  /** Row id. */
  id: number;
  /** Code in the link, unique in the whole service regardless of case. */
  short_link: string;
  /** Whether the link is switched on. An active link records clicks only while its partner is approved. */
  status: 'active' | 'inactive';
  /** Id of the partner. */
  partner_id: number | null;
  /** The link itself. */
  url: string;
  clicks: number;
  last_clicked: string | null;
  /** Display name of the partner. */
  partner_name: string | null;
  /** Status of the partner. An active link records clicks only while its partner is `approved`. */
  partner_status: 'pending' | 'approved' | 'rejected' | 'banned' | null;
};

export type ListedPolicy = {
  /** Row id. */
  id: number;
  /** Whether the commission is a percentage of the sale or a flat amount. */
  type: 'percent' | 'flat';
  /** Percentage of the sale. */
  rate?: number | undefined;
  /** Flat amount, in the smallest unit of the currency. */
  amount_cents?: number | null | undefined;
  /** Your id of the product; null covers all products. */
  product_id: string | null;
  /** Id of the partner; null covers all partners. */
  partner_id: number | null;
  /** Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns. */
  recurring_months: number | null;
  /** Whether this is the default policy of the program. */
  is_default: boolean;
  /** Number of the version, starting at 1. */
  version: number;
  /** When the row was created. */
  created_at: string;
  /** Display name of the partner. */
  partner_name: string | null;
};

export type MaskedPayoutDetails = {
  /** Id of the partner. */
  partner_id: number;
  /** Payment method. */
  method: 'paypal' | 'bank' | 'wise' | 'stripe' | 'other';
  /** Currency of the account. Null if the account accepts every currency. */
  currency: string | null;
  /** The account, such as `DE89…3000` or `a***@blog.example`. Null for the method `other`. */
  account_masked: string | null;
  /** Country of the address, as an ISO 3166-1 code of two letters. Null without an address. */
  country: string | null;
  /** Whether the partner has entered a tax number. */
  has_tax_id: boolean;
  /** When the partner last changed the details. */
  updated_at: string;
};

export type Member = {
  /** Row id. */
  id: number;
  /** Id of the workspace. */
  workspace_id: number;
  /** Id of the user; null until the invitation is accepted. */
  user_id: number | null;
  /** Email address. */
  email: string;
  /** Display name. */
  name: string;
  /** Role of the member, which decides what the member may do. */
  role: 'owner' | 'admin' | 'member' | 'viewer';
  /** Whether the invitation has been accepted. */
  status: 'invited' | 'active';
  /** When the row was created. */
  created_at: string;
};

export type MemberChange = {
  /** Email address. */
  email?: string | null | undefined;
  /** Display name of the member. */
  name?: string | null | undefined;
  /** Role of the member, which decides what the member may do. */
  role?: 'owner' | 'admin' | 'member' | 'viewer' | null | undefined;
};

export type MemberRequest = {
  /** Email address. */
  email: string;
  /** Display name of the member. */
  name: string;
  /** Role of the member, which decides what the member may do. */
  role: 'owner' | 'admin' | 'member' | 'viewer';
  /** Ignored. Users set their own password when they accept the invitation. */
  password?: unknown | undefined;
  /** Id of the workspace. Optional for callers with one workspace. */
  workspace_id?: number | '' | null | undefined;
};

export type NewWebhookEndpoint = {
  /** URL that receives the events. It must begin with `https://`, and name a host on the internet. */
  url: string;
  /** Types of the events to send. */
  event_types: Array<'lead.created' | 'sale.created' | 'commission.created' | 'commission.approved' | 'commission.rejected' | 'commission.reversed' | 'refund.created' | 'payout.created' | 'payout.paid' | 'payout.cancelled' | 'partner.applied' | 'partner.approved' | 'partner.rejected' | 'integration.failing'>;
  /** Note for your team. */
  description?: string | null | undefined;
};

export type Notification = {
  /** Row id. */
  id: number;
  /** Id of the workspace. */
  workspace_id: number;
  /** Id of the program. */
  program_id: number | null;
  /** Kind of the notification. */
  kind: string;
  details: Record<string, unknown>;
  /** When it was marked as read. */
  read_at: string | null;
  /** When the row was created. */
  created_at: string;
};

export type NotificationsRead = {
  /** Id of the workspace. Optional for callers with one workspace. */
  workspace_id?: number | '' | null | undefined;
};

export type Partner = {
  /** Row id. */
  id: number;
  /** Id of the enrollment. */
  partner_program_id: number;
  /** Display name of the partner. */
  name: string;
  /** Email address. */
  email: string;
  /** Status of the enrollment. Links record clicks only while the partner is approved. */
  status: 'pending' | 'approved' | 'rejected' | 'banned';
  /** Reason for the status. The partner can read the reason. */
  status_reason: string | null;
  /** When the partner applied. Null if the partner was invited. */
  applied_at: string | null;
  /** Amount owed to the partner, including payouts in progress. */
  balance_cents: number;
  /** Amount that a payout would include now. */
  payable_cents: number;
  balances: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Amount owed to the partner, including payouts in progress. */
    balance_cents: number;
    /** Amount that a payout would include now. */
    payable_cents: number;
  }>;
  clicks: number;
  leads: number;
  conversions: number;
  links: Array<Link>;
};

export type PartnerChange = {
  /** Display name of the partner. */
  name?: string | null | undefined;
  /** Email address. */
  email?: string | null | undefined;
  /** Status of the enrollment. Links record clicks only while the partner is approved. */
  status?: 'pending' | 'approved' | 'rejected' | 'banned' | null | undefined;
  /** Reason for `status`. The partner can read the reason. A status without a reason removes the stored reason. */
  status_reason?: string | null | undefined;
  /** Minimum payout of this partner, in the smallest unit of the payout's currency. If null, the program's minimum applies. */
  min_payout_cents?: number | null | undefined;
};

export type PartnerDetail = {
  /** Row id. */
  id: number;
  /** Id of the enrollment. */
  partner_program_id: number;
  /** Display name of the partner. */
  name: string;
  /** Email address. */
  email: string;
  /** Status of the enrollment. Links record clicks only while the partner is approved. */
  status: 'pending' | 'approved' | 'rejected' | 'banned';
  /** Reason for the status. The partner can read the reason. */
  status_reason: string | null;
  /** When the partner applied. Null if the partner was invited. */
  applied_at: string | null;
  /** Amount owed to the partner, including payouts in progress. */
  balance_cents: number;
  /** Amount that a payout would include now. */
  payable_cents: number;
  balances: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Amount owed to the partner, including payouts in progress. */
    balance_cents: number;
    /** Amount that a payout would include now. */
    payable_cents: number;
  }>;
  clicks: number;
  leads: number;
  conversions: number;
  links: Array<Link>;
  /** Null if the partner was invited. */
  application: {
    /** When the partner applied. */
    applied_at: string;
    /** Answers of the applicant. */
    answers: Array<{
      /** `id` of the question. */
      question: string;
      /** Text of the question when the partner applied. */
      label: string;
      /** Type of the answer. */
      type: 'text' | 'long_text' | 'url' | 'number' | 'choice' | 'checkbox';
      /** The answer. */
      answer: string;
    }>;
    /** Code that the applicant entered. */
    invitation_code: string | null;
    /** The rule that approved the application. */
    approved_by: 'email_domain' | 'invitation_code' | null;
    /** When the applicant confirmed the email address. Null until then. */
    email_confirmed_at: string | null;
  } | null;
  /** Minimum payout of this partner, in the smallest unit of the payout's currency. If null, the program's minimum applies. */
  min_payout_cents: number | null;
  /** The partner's other amounts, by currency. The payable amount is in `balances`. */
  amounts: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Sum of the commissions that wait for an approval or for the end of a dispute. */
    pending_cents: number;
    /** Sum of the commissions whose hold has not ended. */
    on_hold_cents: number;
    /** Sum of the payouts that are created but not paid yet. */
    in_payout_cents: number;
    /** Amount by which deductions exceed the payable commissions. It reduces the next payouts. */
    to_deduct_cents: number;
    /** Sum of all paid payouts. */
    paid_cents: number;
  }>;
  /** Whether the partner has accepted an invitation, and can sign in. */
  has_account: boolean;
};

export type PartnerRequest = {
  /** Display name of the partner. */
  name: string;
  /** Email address. */
  email: string;
  /** `short_link` of the first link. */
  code?: string | null | undefined;
  /** Status of the enrollment. Links of a pending partner record no clicks. */
  status?: 'approved' | 'pending' | null | undefined;
};

export type PartnerReview = {
  /** Ids of the rows, at most 100. */
  ids: Array<number>;
  /** The status to give each partner: approved, rejected or banned. */
  action: 'approve' | 'reject' | 'ban';
  /** For 30 days, a repeated request with the same key changes nothing and returns the results of the first request. */
  idempotency_key?: string | null | undefined;
};

export type Payout = {
  /** Row id. */
  id: number;
  /** Id of the partner. */
  partner_id: number;
  /** Display name of the partner. */
  partner_name: string;
  /** Email address. */
  partner_email: string;
  /** ISO 4217 code. */
  currency: string;
  /** Status of the payout. */
  status: 'pending' | 'paid' | 'cancelled';
  /** Amount, in the smallest unit of the currency. */
  amount_cents: number;
  /** Number of commissions in the payout. */
  commissions: number;
  /** Your reference for the payment. */
  reference: string | null;
  /** Id of the open batch that contains the payout. */
  batch_id: number | null;
  /** When the payout details of the partner were last changed. Null if there are none. */
  details_changed_at: string | null;
  /** Right after the payout was created, this was the position of the newest entry in the program's ledger, which is a hash chain. */
  ledger_position: number | null;
  /** Hash of that ledger entry. */
  ledger_hash: string | null;
  /** When the row was created. */
  created_at: string;
  /** When the payout was marked as paid. */
  paid_at: string | null;
  /** When the payout was cancelled. */
  cancelled_at: string | null;
};

export type PayoutBatch = {
  /** Row id. */
  id: number;
  /** Format of the file, or the payment service that sends the payouts. */
  channel: 'file:paypal' | 'file:wise' | 'file:sepa' | 'file:csv' | 'provider:paypal' | 'provider:stripe';
  /** ISO 4217 code. */
  currency: string;
  /** `open` while at least one payout has no result. */
  status: 'open' | 'closed';
  /** Number of payouts in the batch. */
  payouts: number;
  /** Sum of the payouts, in the smallest unit of the currency. */
  amount_cents: number;
  /** Number of payouts without a result yet. */
  sent: number;
  /** Number of payouts that were paid. */
  paid: number;
  /** Number of payouts that failed, and can be sent again. */
  failed: number;
  /** Number of payouts that were released before they were sent. */
  cancelled: number;
  /** Number of payouts that were certainly not sent: their file was never downloaded, or they still wait to be sent. `cancel` releases them. */
  unsent: number;
  /** Number of payouts that the payment service may or may not have made. Look them up there, and import their results. */
  unclear: number;
  /** When the row was created. */
  created_at: string;
  /** When the file was first downloaded. */
  downloaded_at: string | null;
  /** When the last result became known. */
  closed_at: string | null;
};

export type PayoutBatchDetail = {
  /** Row id. */
  id: number;
  /** Format of the file, or the payment service that sends the payouts. */
  channel: 'file:paypal' | 'file:wise' | 'file:sepa' | 'file:csv' | 'provider:paypal' | 'provider:stripe';
  /** ISO 4217 code. */
  currency: string;
  /** `open` while at least one payout has no result. */
  status: 'open' | 'closed';
  /** Number of payouts in the batch. */
  payouts: number;
  /** Sum of the payouts, in the smallest unit of the currency. */
  amount_cents: number;
  /** Number of payouts without a result yet. */
  sent: number;
  /** Number of payouts that were paid. */
  paid: number;
  /** Number of payouts that failed, and can be sent again. */
  failed: number;
  /** Number of payouts that were released before they were sent. */
  cancelled: number;
  /** Number of payouts that were certainly not sent: their file was never downloaded, or they still wait to be sent. `cancel` releases them. */
  unsent: number;
  /** Number of payouts that the payment service may or may not have made. Look them up there, and import their results. */
  unclear: number;
  /** When the row was created. */
  created_at: string;
  /** When the file was first downloaded. */
  downloaded_at: string | null;
  /** When the last result became known. */
  closed_at: string | null;
  items: Array<{
    /** Id of the payout. */
    payout_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Display name of the partner. */
    partner_name: string;
    /** Result of the payout. `sent`: not known yet. `cancelled`: released before it was sent. */
    status: 'sent' | 'paid' | 'failed' | 'cancelled';
    /** Amount that was sent, in the smallest unit of the currency. */
    amount_cents: number;
    /** Refunds since the batch was created. They reduce the next payout. */
    withheld_cents: number;
    /** Reference that the payment service gave the payment. */
    reference: string | null;
    /** Why the payment failed. */
    reason: string | null;
    /** Progress at the payment service. `queued`: not sent yet. `sending`: being sent, or sent again after an unknown outcome. `accepted`: accepted, without a result yet. `unclear`: the outcome is unknown, and you must look it up. `done`: has a result. Null if the payout is sent with a file. */
    transfer_state: 'queued' | 'sending' | 'accepted' | 'unclear' | 'done' | null;
    /** Id of the payment at the payment service. */
    transfer_id: string | null;
    /** Why the latest attempt has no result. */
    transfer_error: string | null;
    /** When the result became known. */
    closed_at: string | null;
  }>;
};

export type PayoutBatchOrder = {
  /** Format of the file, or the payment service that sends the payouts. `file:paypal` pays partners with the method `paypal`, `file:wise` partners with `wise`, `file:sepa` partners with `bank` in EUR, and `file:csv` all partners. With `provider:paypal` and `provider:stripe`, the service sends the payouts immediately. The operator must have configured the provider. */
  channel: 'file:paypal' | 'file:wise' | 'file:sepa' | 'file:csv' | 'provider:paypal' | 'provider:stripe';
  /** Currency of the batch. A batch has only one. */
  currency: string;
  /** Payouts to send. Defaults to all pending payouts of the currency that are in no open batch. Payouts below the minimum, and payouts of rejected or banned partners, are sent only if they are named here. */
  payout_ids?: Array<number> | null | undefined;
};

export type PayoutOrder = {
  /** Partners to pay. Defaults to all partners, except rejected and banned partners. */
  partner_ids?: Array<number> | null | undefined;
  /** Partners who get no payout this time, at most 1000. */
  excluded_partner_ids?: Array<number> | null | undefined;
  /** Minimum payout. Partners with a lower payable amount get no payout. Defaults to the minimum of the partner, or else of the program. */
  min_amount_cents?: number | null | undefined;
  /** The totals of the preview that you agreed to. If they have changed, no payout is created and the reply is 409. A payout whose amount changes while the payouts are created is left out. */
  expected_totals?: Array<{
    /** ISO 4217 code, in upper or lower case. */
    currency: string;
    /** Number of payouts. */
    payouts: number;
    /** Sum of the payouts, in the smallest unit of the currency. */
    amount_cents: number;
  }> | null | undefined;
};

export type PayoutPayment = {
  /** Your reference for the payment. */
  reference?: string | null | undefined;
  /** The amount that you have paid. If a refund or a correction has changed the amount of the payout since then, the payout is not marked as paid. */
  expected_amount_cents?: number | null | undefined;
};

export type PayoutPayments = {
  /** The payouts, at most 100. */
  items: Array<{
    /** Id of the payout. */
    id: number;
    /** Your reference for the payment. */
    reference?: string | null | undefined;
    /** The amount that you have paid. If a refund or a correction has changed the amount of the payout since then, the payout is not marked as paid. */
    expected_amount_cents?: number | undefined;
  }>;
  /** For 30 days, a repeated request with the same key changes nothing and returns the results of the first request. */
  idempotency_key?: string | null | undefined;
};

export type PayoutPreviewOrder = {
  /** Partners to pay. Defaults to all partners, except rejected and banned partners. */
  partner_ids?: Array<number> | null | undefined;
  /** Partners who get no payout this time, at most 1000. */
  excluded_partner_ids?: Array<number> | null | undefined;
  /** Minimum payout. Partners with a lower payable amount get no payout. Defaults to the minimum of the partner, or else of the program. */
  min_amount_cents?: number | null | undefined;
  /** Number of rows to return. The totals contain all payouts. Defaults to all rows. With 0, only the totals are returned. */
  limit?: number | null | undefined;
};

export type PayoutRun = {
  /** Row id. */
  id: number;
  /** Month, as `YYYY-MM` in UTC. */
  month: string;
  /** `proposed`: waits for the decision of an owner. `empty`: nothing was payable when the schedule ran. */
  status: 'proposed' | 'confirmed' | 'dismissed' | 'empty';
  /** Amounts that were payable when the payouts were proposed. When an owner confirms, the payouts contain the amounts that are payable at that time. */
  totals: Array<{
    /** ISO 4217 code. */
    currency: string;
    payouts: number;
    amount_cents: number;
  }>;
  /** When the row was created. */
  created_at: string;
  /** When an owner decided. */
  decided_at: string | null;
};

export type PayoutRunConfirmation = {
  /** The totals of the preview that you agreed to. If they have changed, no payout is created and the reply is 409. A payout whose amount changes while the payouts are created is left out. */
  expected_totals?: Array<{
    /** ISO 4217 code, in upper or lower case. */
    currency: string;
    /** Number of payouts. */
    payouts: number;
    /** Sum of the payouts, in the smallest unit of the currency. */
    amount_cents: number;
  }> | null | undefined;
};

export type PayoutSettings = {
  /** Minimum payout, in the smallest unit of the payout's currency. */
  min_payout_cents: number | null;
  /** Day of the month on which payouts are proposed. */
  schedule_day: number | null;
  /** Your bank account, from which a SEPA file transfers the payouts. */
  debtor: {
    /** Name of the owner of the account. */
    name: string;
    /** The account, such as `DE89…3000`. */
    iban_masked: string;
    /** BIC of the bank. */
    bic: string | null;
  } | null;
  /** Payment services that can send payouts of this program, as the operator has configured them. */
  providers: Array<'paypal' | 'stripe'>;
};

export type PayoutSettingsChange = {
  /** Minimum payout, in the smallest unit of the payout's currency. Smaller amounts wait for a later payout. */
  min_payout_cents?: number | null | undefined;
  /** Day of the month, in UTC, on which payouts are proposed to the owners. A shorter month uses its last day. */
  schedule_day?: number | null | undefined;
  /** Your bank account, from which a SEPA file transfers the payouts. Stored encrypted. */
  debtor?: {
    /** Name of the owner of the account. */
    name: string;
    /** IBAN, with or without spaces. */
    iban: string;
    /** BIC of the bank. */
    bic?: string | null | undefined;
  } | null | undefined;
};

export type Policy = {
  /** Row id. */
  id: number;
  /** Whether the commission is a percentage of the sale or a flat amount. */
  type: 'percent' | 'flat';
  /** Percentage of the sale. */
  rate?: number | undefined;
  /** Flat amount, in the smallest unit of the currency. */
  amount_cents?: number | null | undefined;
  /** Your id of the product; null covers all products. */
  product_id: string | null;
  /** Id of the partner; null covers all partners. */
  partner_id: number | null;
  /** Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns. */
  recurring_months: number | null;
  /** Whether this is the default policy of the program. */
  is_default: boolean;
  /** Number of the version, starting at 1. */
  version: number;
  /** When the row was created. */
  created_at: string;
};

export type PolicyChange = {
  /** Whether the commission is a percentage of the sale or a flat amount. */
  type?: 'percent' | 'flat' | null | undefined;
  /** Percentage of the sale, with at most two decimals. */
  rate?: number | null | undefined;
  /** Flat amount for each sale, in the smallest unit of the program's currency. */
  amount_cents?: number | null | undefined;
  /** Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns. */
  recurring_months?: number | null | undefined;
};

export type PolicyRequest = {
  /** Whether the commission is a percentage of the sale or a flat amount. */
  type: 'percent';
  /** Percentage of the sale, with at most two decimals. */
  rate: number;
  /** Your id of the product. Defaults to all products. */
  product_id?: string | null | undefined;
  /** Id of the partner. Defaults to all partners. */
  partner_id?: number | '' | null | undefined;
  /** Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns. */
  recurring_months?: number | null | undefined;
} | {
  /** Whether the commission is a percentage of the sale or a flat amount. */
  type: 'flat';
  /** Flat amount for each sale, in the smallest unit of the program's currency. */
  amount_cents: number;
  /** Your id of the product. Defaults to all products. */
  product_id?: string | null | undefined;
  /** Id of the partner. Defaults to all partners. */
  partner_id?: number | '' | null | undefined;
  /** Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns. */
  recurring_months?: number | null | undefined;
};

export type ProcessorConnection = {
  /** Row id. */
  id: number;
  /** Id of the workspace. */
  workspace_id: number;
  /** Payment processor. */
  processor: 'stripe';
  /** Id of your account at the processor. */
  account_id: string;
  /** Mode of the events that the connection accepts. */
  mode: 'live' | 'test';
  /** Whether a live connection records payments in test mode as test sales. */
  record_test_events: boolean;
  /** Status of the connection. It is `pending` until the first verified webhook. */
  status: 'pending' | 'connected' | 'disconnected';
  /** Whether the account can take payments. */
  charges_enabled: boolean;
  /** Whether the account can receive payouts. */
  payouts_enabled: boolean;
  /** Whether the account has submitted all its details. */
  details_submitted: boolean;
  /** Path of this service that receives the processor's webhooks. */
  webhook_path: string;
  /** When the previous secret becomes invalid. */
  previous_secret_until: string | null;
  /** When the first verified webhook arrived. */
  connected_at: string | null;
  /** When the processor was disconnected. */
  disconnected_at: string | null;
  /** When the row was created. */
  created_at: string;
};

export type ProcessorConnectionChange = {
  /** Id of your account at the processor. */
  account_id?: string | null | undefined;
  /** Signing secret of the webhook endpoint at the processor. It is never returned. */
  webhook_secret?: string | null | undefined;
  /** Mode of the events that the connection accepts. Events of the other mode are ignored. Default: `live`. */
  mode?: 'live' | 'test' | null | undefined;
  /** Whether a live connection records payments in test mode as test sales, which have no effect. Otherwise, it ignores such payments. */
  record_test_events?: boolean | null | undefined;
  /** Whether the account can take payments. */
  charges_enabled?: boolean | null | undefined;
  /** Whether the account can receive payouts. */
  payouts_enabled?: boolean | null | undefined;
  /** Whether the account has submitted all its details. */
  details_submitted?: boolean | null | undefined;
};

export type ProcessorConnectionRequest = {
  /** Payment processor. */
  processor: 'stripe';
  /** Id of your account at the processor. */
  account_id: string;
  /** Signing secret of the webhook endpoint at the processor. It is never returned. */
  webhook_secret: string;
  /** Mode of the events that the connection accepts. Events of the other mode are ignored. Default: `live`. */
  mode?: 'live' | 'test' | null | undefined;
  /** Whether a live connection records payments in test mode as test sales, which have no effect. Otherwise, it ignores such payments. */
  record_test_events?: boolean | null | undefined;
  /** Whether the account can take payments. */
  charges_enabled?: boolean | null | undefined;
  /** Whether the account can receive payouts. */
  payouts_enabled?: boolean | null | undefined;
  /** Whether the account has submitted all its details. */
  details_submitted?: boolean | null | undefined;
  /** Id of the workspace. Optional for callers with one workspace. */
  workspace_id?: number | '' | null | undefined;
};

export type Program = {
  /** Row id. */
  id: number;
  /** Id of the workspace. */
  workspace_id: number;
  /** Display name of the program. */
  name: string;
  /** Name of the program in URLs. */
  slug: string;
  /** URL of the shop. Links lead there. */
  site_url: string;
  /** Whether the marketplace lists the program. */
  status: 'draft' | 'live';
  /** Number of days after a click during which a sale can earn a commission. */
  cookie_window_days: number;
  /** Whether the last or the first click earns the commission. */
  attribution_model: 'last_click' | 'first_click';
  /** How many days a commission is held for refunds before it can be paid out. */
  hold_days: number;
  /** ISO 4217 code. */
  currency: string;
  /** Origins whose pages may send events; `*` allows any. */
  allowed_origins: Array<string>;
  /** Domain of the click cookie. The service sets the cookie only if its own host is in this domain. */
  cookie_domain: string | null;
  /** Which leads browsers may record: all leads, only leads without `customer_key`, or none. */
  browser_leads: 'all' | 'without_key' | 'off';
  /** How to treat the commission if only a browser has reported the customer's `customer_key`. `review`: held until you approve it or your server confirms the key. `pay`: treated like any other commission. */
  claimed_keys: 'review' | 'pay';
  /** Whether clicks and browser leads without an `Origin` header are rejected. */
  require_origin: boolean;
  /** Amount below which a sale earns no commission, in the smallest unit of the sale's currency. 0 means no minimum. */
  min_sale_cents: number;
  /** Whether a percent commission is computed from the whole sale, or from the sale without tax and shipping. */
  commission_base: 'total' | 'net';
  /** Masked tracking token. Only its start and end are shown. */
  api_token_masked: string;
  /** When the row was created. */
  created_at: string;
  /** Start of the first UTC day with data, or `created_at` if that is earlier. Imported data may be older than the program. */
  data_since: string;
};

export type ProgramChange = {
  /** Display name of the program. */
  name?: string | null | undefined;
  /** URL of the shop, normalized as in browsers. Links lead there. */
  site_url?: string | null | undefined;
  /** Name of the program in URLs. Defaults to a slug made of `name`. */
  slug?: string | null | undefined;
  /** Number of days after a click during which a sale can earn a commission. */
  cookie_window_days?: number | null | undefined;
  /** Whether the last or the first click earns the commission. */
  attribution_model?: 'last_click' | 'first_click' | null | undefined;
  /** How many days a commission is held for refunds before it can be paid out. */
  hold_days?: number | null | undefined;
  /** ISO 4217 code, in upper or lower case. */
  currency?: string | null | undefined;
  /** Origins whose pages may send events; `*` allows any. Defaults to the origin of `site_url`. */
  allowed_origins?: Array<string> | null | undefined;
  /** Domain of the click cookie. The service sets the cookie only if its own host is in this domain. */
  cookie_domain?: string | null | undefined;
  /** Which leads browsers may record: all leads, only leads without `customer_key`, or none. */
  browser_leads?: 'all' | 'without_key' | 'off' | null | undefined;
  /** How to treat the commission if only a browser has reported the customer's `customer_key`. `review`: held until you approve it or your server confirms the key. `pay`: treated like any other commission. */
  claimed_keys?: 'review' | 'pay' | null | undefined;
  /** Whether clicks and browser leads without an `Origin` header are rejected. */
  require_origin?: boolean | null | undefined;
  /** Amount below which a sale earns no commission, in the smallest unit of the sale's currency. 0 means no minimum. */
  min_sale_cents?: number | null | undefined;
  /** The base of a percent commission: `total` is the amount of the sale, `net` is that amount without `tax_cents` and `shipping_cents`. */
  commission_base?: 'total' | 'net' | null | undefined;
};

export type ProgramPage = {
  /** Whether everyone can read the page and apply. */
  published: boolean;
  /** Plain text about the program. */
  description: string | null;
  /** Plain text of the terms, which applicants must accept. */
  terms: string | null;
  /** Image as a `data:` URL. */
  logo: string | null;
  /** Color of the page, as `#rrggbb`. Null: the default color. */
  accent_color: string | null;
  /** Questions of the application form, in their order. */
  questions: Array<{
    /** Key under which answers to this question are stored. */
    id: string;
    /** The question. */
    label: string;
    /** Type of the answer. */
    type: 'text' | 'long_text' | 'url' | 'number' | 'choice' | 'checkbox';
    /** Whether an application must answer the question. */
    required: boolean;
    /** The answers of a `choice`. */
    options?: Array<string> | undefined;
  }>;
  /** Origins whose pages may show the page in an iframe. */
  embed_origins: Array<string>;
  /** Applications with an email address of one of these domains are approved when the applicant confirms the address. */
  auto_approve_domains: Array<string>;
  /** Applications with one of these codes are approved at once. */
  invitation_codes: Array<string>;
};

export type ProgramPageChange = {
  /** Whether everyone can read the page and apply. */
  published?: boolean | null | undefined;
  /** Plain text about the program. Null removes it. */
  description?: string | null | undefined;
  /** Plain text of the terms, which applicants must accept. Null removes them. */
  terms?: string | null | undefined;
  /** Image as a `data:` URL: PNG, JPEG or WebP in base64, at most 30 KiB. Null removes it. */
  logo?: string | null | undefined;
  /** Color of the page, as `#rrggbb`. Null selects the default color. */
  accent_color?: string | null | undefined;
  /** Questions of the application form, in their order. */
  questions?: Array<{
    /** The key under which answers to this question are stored. Unique within the program. */
    id: string;
    /** The question. */
    label: string;
    /** Type of the answer. `text`: one line. `long_text`: several lines. `url`: an http or https URL. `number`: a decimal number. `choice`: one of `options`. `checkbox`: `yes` if the box is ticked. */
    type: 'text' | 'long_text' | 'url' | 'number' | 'choice' | 'checkbox';
    /** Whether an application must answer the question. */
    required?: boolean | undefined;
    /** The answers of a `choice`. Only for that type. */
    options?: Array<string> | undefined;
  }> | null | undefined;
  /** Origins whose pages may show the program page in an iframe. */
  embed_origins?: Array<string> | null | undefined;
  /** Applications with an email address of one of these domains are approved when the applicant confirms the address. Subdomains do not count. */
  auto_approve_domains?: Array<string> | null | undefined;
  /** Applications with one of these codes are approved at once. */
  invitation_codes?: Array<string> | null | undefined;
};

export type ProgramRequest = {
  /** Display name of the program. */
  name: string;
  /** URL of the shop, normalized as in browsers. Links lead there. */
  site_url: string;
  /** Name of the program in URLs. Defaults to a slug made of `name`. */
  slug?: string | null | undefined;
  /** Number of days after a click during which a sale can earn a commission. */
  cookie_window_days?: number | null | undefined;
  /** Whether the last or the first click earns the commission. */
  attribution_model?: 'last_click' | 'first_click' | null | undefined;
  /** How many days a commission is held for refunds before it can be paid out. */
  hold_days?: number | null | undefined;
  /** ISO 4217 code, in upper or lower case. */
  currency?: string | null | undefined;
  /** Origins whose pages may send events; `*` allows any. Defaults to the origin of `site_url`. */
  allowed_origins?: Array<string> | null | undefined;
  /** Domain of the click cookie. The service sets the cookie only if its own host is in this domain. */
  cookie_domain?: string | null | undefined;
  /** Which leads browsers may record: all leads, only leads without `customer_key`, or none. */
  browser_leads?: 'all' | 'without_key' | 'off' | null | undefined;
  /** How to treat the commission if only a browser has reported the customer's `customer_key`. `review`: held until you approve it or your server confirms the key. `pay`: treated like any other commission. */
  claimed_keys?: 'review' | 'pay' | null | undefined;
  /** Whether clicks and browser leads without an `Origin` header are rejected. */
  require_origin?: boolean | null | undefined;
  /** Amount below which a sale earns no commission, in the smallest unit of the sale's currency. 0 means no minimum. */
  min_sale_cents?: number | null | undefined;
  /** The base of a percent commission: `total` is the amount of the sale, `net` is that amount without `tax_cents` and `shipping_cents`. */
  commission_base?: 'total' | 'net' | null | undefined;
  /** Commission that partners earn by default. */
  commission: CommissionTerms;
  /** Id of the workspace. Optional for callers with one workspace. */
  workspace_id?: number | '' | null | undefined;
};

export type ProgramTestEventRequest = {
  /** Type of the test: `chain` is a click, a lead and a sale. */
  type?: 'chain' | null | undefined;
};

export type Refusal = {
  /** Row id. */
  id: number;
  refused_at: string;
  /** Which tracking route was called. */
  route: 'click' | 'lead' | 'sale' | 'refund';
  /** HTTP status of the reply. */
  status: number;
  /** Stable code of the reply. */
  code: string;
  /** Error message of the reply. */
  reason: string;
  /** Id of the request, as in the header `X-Request-Id`. */
  request_id: string;
  /** Whether the call had the program's tracking token. Anyone can send a call without the token. */
  has_token: boolean;
  /** Known fields of the request. Long texts are cut, queries of URLs are removed, and email addresses and credentials are masked. */
  body: Record<string, string | number | boolean>;
};

export type Session = {
  /** Row id. */
  id: number;
  /** `browser` for a session in a cookie, `token` for a session in the `Authorization` header. */
  kind: 'browser' | 'token';
  /** Browser and operating system at the sign-in, such as `Firefox on Linux`. Null if unknown. */
  device: string | null;
  /** Whether this request used the session. */
  current: boolean;
  /** When the row was created. */
  created_at: string;
  /** When the session was last used, with a precision of five minutes. */
  last_used_at: string;
  /** When the session expires. Each use of a browser session extends it. */
  expires_at: string;
};

export type Summary = {
  programs: number;
  live_programs: number;
  partners: number;
  pending_partners: number;
  clicks: number;
  leads: number;
  conversions: number;
  sales: number;
  revenue: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
  }>;
  /** Commissions that partners earned, by currency. */
  commission: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
  }>;
  pending_commissions: number;
  balances: Array<{
    /** ISO 4217 code. */
    currency: string;
    /** Amount owed to the partner, including payouts in progress. */
    balance_cents: number;
  }>;
};

export type TestEmail = {
  /** Id of the program in whose name the email is sent. */
  program_id: number;
  /** The template to send. */
  template: 'password_reset' | 'member_invitation' | 'partner_invitation' | 'application_received' | 'address_confirmation' | 'application_approved' | 'application_rejected' | 'review_task' | 'review_digest' | 'payouts_proposed' | 'payout_problem' | 'webhook_failing' | 'commission_refunded' | 'commission_reversed' | 'payout_created' | 'payout_paid' | 'payout_failed' | 'payout_details_changed' | 'monthly_summary';
};

export type Trace = {
  customer: {
    customer_status: 'click' | 'lead' | 'conversion';
    /** Click id of the customer's click. Null if the reader is a partner and the customer belongs to another partner. */
    click_id: string | null;
    /** Your id of the customer. */
    customer_key?: string | null | undefined;
    customer_key_state?: 'claimed' | 'verified' | null | undefined;
    /** Email address, masked. */
    email?: string | null | undefined;
    /** Id of the partner. */
    partner_id: number | null;
    last_click_at: string | null;
    signup_date: string | null;
    first_purchase_date: string | null;
  };
  steps: Array<{
    at: string;
    step: 'click' | 'lead' | 'sale' | 'commission' | 'no_commission' | 'approval' | 'rejection' | 'refund' | 'adjustment' | 'payout' | 'webhook' | 'ledger' | 'note' | 'missing';
    /** Stable code of the reason. */
    reason: string;
    /** Explanation of the rule behind the step. */
    why: string;
    detail: Record<string, unknown>;
  }>;
};

export type WebhookDelivery = {
  /** Row id. */
  id: number;
  /** Id of the endpoint. */
  endpoint_id: number;
  /** Value of the header `webhook-id`. */
  webhook_id: string;
  /** Type of the event. */
  event_type: 'lead.created' | 'sale.created' | 'commission.created' | 'commission.approved' | 'commission.rejected' | 'commission.reversed' | 'refund.created' | 'payout.created' | 'payout.paid' | 'payout.cancelled' | 'partner.applied' | 'partner.approved' | 'partner.rejected' | 'integration.failing' | 'webhook.test';
  /** `queued`: waits for its first attempt or a retry. `failed`: the service makes no further attempts. */
  status: 'queued' | 'succeeded' | 'failed';
  /** Number of attempts so far. */
  attempts: number;
  /** Earliest time of the next attempt. Null if there is none. */
  next_attempt_at: string | null;
  /** HTTP status of the response. Null without a response. */
  last_status: number | null;
  /** Why the latest attempt failed. */
  last_error: string | null;
  /** When the event happened. */
  created_at: string;
  /** When the delivery succeeded, or when the service stopped trying. */
  finished_at: string | null;
};

export type WebhookDeliveryDetail = {
  /** Row id. */
  id: number;
  /** Id of the endpoint. */
  endpoint_id: number;
  /** Value of the header `webhook-id`. */
  webhook_id: string;
  /** Type of the event. */
  event_type: 'lead.created' | 'sale.created' | 'commission.created' | 'commission.approved' | 'commission.rejected' | 'commission.reversed' | 'refund.created' | 'payout.created' | 'payout.paid' | 'payout.cancelled' | 'partner.applied' | 'partner.approved' | 'partner.rejected' | 'integration.failing' | 'webhook.test';
  /** `queued`: waits for its first attempt or a retry. `failed`: the service makes no further attempts. */
  status: 'queued' | 'succeeded' | 'failed';
  /** Number of attempts so far. */
  attempts: number;
  /** Earliest time of the next attempt. Null if there is none. */
  next_attempt_at: string | null;
  /** HTTP status of the response. Null without a response. */
  last_status: number | null;
  /** Why the latest attempt failed. */
  last_error: string | null;
  /** When the event happened. */
  created_at: string;
  /** When the delivery succeeded, or when the service stopped trying. */
  finished_at: string | null;
  /** The body of the request. */
  event: WebhookEvent;
  /** The attempts, oldest first. */
  log: Array<{
    /** Number of the attempt. */
    attempt: number;
    /** When the request was sent. */
    attempted_at: string;
    /** Duration in milliseconds. */
    duration_ms: number;
    /** Headers of the request. */
    request_headers: Record<string, string>;
    /** HTTP status of the response. Null without a response. */
    status: number | null;
    /** Headers of the response. */
    response_headers: Record<string, string> | null;
    /** The first 1,024 bytes of the response. */
    response_body: string | null;
    /** Why the attempt failed. */
    error: string | null;
  }>;
};

export type WebhookEndpoint = {
  /** Row id. */
  id: number;
  /** Id of the program. */
  program_id: number;
  /** URL that receives the events. */
  url: string;
  /** Note for your team. */
  description: string | null;
  /** Types of the events to send. */
  event_types: Array<'lead.created' | 'sale.created' | 'commission.created' | 'commission.approved' | 'commission.rejected' | 'commission.reversed' | 'refund.created' | 'payout.created' | 'payout.paid' | 'payout.cancelled' | 'partner.applied' | 'partner.approved' | 'partner.rejected' | 'integration.failing'>;
  /** `failing`: the latest attempts failed, so the service pauses between attempts. `gone`: paused, because it answered with 410. While an endpoint is paused, events wait for up to three days. */
  status: 'active' | 'failing' | 'paused' | 'gone';
  /** Number of failed attempts since the last success. */
  failures: number;
  /** When the pause after failed attempts ends. Null without a pause. */
  next_attempt_at: string | null;
  /** When the endpoint was paused. */
  paused_at: string | null;
  /** When the endpoint last answered with a 2xx status. */
  last_success_at: string | null;
  /** When an attempt last failed. */
  last_failure_at: string | null;
  /** Until this time, webhooks are also signed with the previous secret. Null if the secret was never replaced. */
  previous_secret_until: string | null;
  /** When the row was created. */
  created_at: string;
};

export type WebhookEndpointChange = {
  /** URL that receives the events. It must begin with `https://`, and name a host on the internet. */
  url?: string | null | undefined;
  /** Types of the events to send. */
  event_types?: Array<'lead.created' | 'sale.created' | 'commission.created' | 'commission.approved' | 'commission.rejected' | 'commission.reversed' | 'refund.created' | 'payout.created' | 'payout.paid' | 'payout.cancelled' | 'partner.applied' | 'partner.approved' | 'partner.rejected' | 'integration.failing'> | null | undefined;
  /** Note for your team. Null removes it. */
  description?: string | null | undefined;
};

export type WebhookEndpointSecret = {
  /** Row id. */
  id: number;
  /** Id of the program. */
  program_id: number;
  /** URL that receives the events. */
  url: string;
  /** Note for your team. */
  description: string | null;
  /** Types of the events to send. */
  event_types: Array<'lead.created' | 'sale.created' | 'commission.created' | 'commission.approved' | 'commission.rejected' | 'commission.reversed' | 'refund.created' | 'payout.created' | 'payout.paid' | 'payout.cancelled' | 'partner.applied' | 'partner.approved' | 'partner.rejected' | 'integration.failing'>;
  /** `failing`: the latest attempts failed, so the service pauses between attempts. `gone`: paused, because it answered with 410. While an endpoint is paused, events wait for up to three days. */
  status: 'active' | 'failing' | 'paused' | 'gone';
  /** Number of failed attempts since the last success. */
  failures: number;
  /** When the pause after failed attempts ends. Null without a pause. */
  next_attempt_at: string | null;
  /** When the endpoint was paused. */
  paused_at: string | null;
  /** When the endpoint last answered with a 2xx status. */
  last_success_at: string | null;
  /** When an attempt last failed. */
  last_failure_at: string | null;
  /** Until this time, webhooks are also signed with the previous secret. Null if the secret was never replaced. */
  previous_secret_until: string | null;
  /** When the row was created. */
  created_at: string;
  /** Signing secret. Only this reply shows it. */
  secret: string;
};

export type WebhookEvent = {
  /** Type of the event. */
  type: 'lead.created';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the customer. */
    customer_id: number | null;
    /** Your id of the customer. */
    customer_key: string | null;
    /** Click id of the customer's first click. */
    click_id: string | null;
    /** Id of the partner. Null if the partner was erased. */
    partner_id: number | null;
    /** Kind of lead, from `additional_data.event_name` of the call. */
    event_name: string | null;
    /** Who reported the lead. */
    source: 'browser' | 'server';
    /** When the customer signed up. */
    lead_at: string;
  };
} | {
  /** Type of the event. */
  type: 'sale.created';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the sale. */
    sale_id: number;
    /** Your id of the payment. */
    transaction_id: string;
    /** Id of the customer. */
    customer_id: number | null;
    /** Your id of the customer. */
    customer_key: string | null;
    /** Click id of the customer's first click. */
    click_id: string | null;
    /** Id of the partner. */
    partner_id: number;
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** Id of the subscription. */
    subscription_id: string | null;
    /** Id of the product. */
    product_id: string | null;
    /** Why the sale earns no commission. Null if it earns one. */
    no_commission_reason: 'window_expired' | 'recurring_ended' | 'below_min_sale' | 'zero_amount' | null;
    /** When the customer paid. */
    sale_at: string;
  };
} | {
  /** Type of the event. */
  type: 'commission.created';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the commission. */
    commission_id: number;
    /** Id of the sale. */
    sale_id: number;
    /** Id of the customer. */
    customer_id: number | null;
    /** Id of the partner. */
    partner_id: number;
    /** Status after the event. */
    status: 'pending' | 'approved' | 'paid' | 'rejected' | 'refunded' | 'reversed';
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** Deducted part of the amount, in the smallest unit of the currency. */
    deducted_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** When the customer paid. */
    commission_at: string;
  };
} | {
  /** Type of the event. */
  type: 'commission.approved';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the commission. */
    commission_id: number;
    /** Id of the sale. */
    sale_id: number;
    /** Id of the customer. */
    customer_id: number | null;
    /** Id of the partner. */
    partner_id: number;
    /** Status after the event. */
    status: 'pending' | 'approved' | 'paid' | 'rejected' | 'refunded' | 'reversed';
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** Deducted part of the amount, in the smallest unit of the currency. */
    deducted_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** When the customer paid. */
    commission_at: string;
  };
} | {
  /** Type of the event. */
  type: 'commission.rejected';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the commission. */
    commission_id: number;
    /** Id of the sale. */
    sale_id: number;
    /** Id of the customer. */
    customer_id: number | null;
    /** Id of the partner. */
    partner_id: number;
    /** Status after the event. */
    status: 'pending' | 'approved' | 'paid' | 'rejected' | 'refunded' | 'reversed';
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** Deducted part of the amount, in the smallest unit of the currency. */
    deducted_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** When the customer paid. */
    commission_at: string;
  };
} | {
  /** Type of the event. */
  type: 'commission.reversed';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the commission. */
    commission_id: number;
    /** Id of the sale. */
    sale_id: number;
    /** Id of the customer. */
    customer_id: number | null;
    /** Id of the partner. */
    partner_id: number;
    /** Status after the event. */
    status: 'pending' | 'approved' | 'paid' | 'rejected' | 'refunded' | 'reversed';
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** Deducted part of the amount, in the smallest unit of the currency. */
    deducted_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** When the customer paid. */
    commission_at: string;
  };
} | {
  /** Type of the event. */
  type: 'refund.created';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the refund in the service. */
    refund_row_id: number;
    /** Your id of the refund. Null if the refund was reported without one. */
    refund_id: string | null;
    /** Id of the sale. */
    sale_id: number;
    /** Your id of the payment. */
    transaction_id: string;
    /** Id of the commission. */
    commission_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Refunded amount, in the smallest unit of the currency of the sale. */
    amount_cents: number;
    /** ISO 4217 code of the currency of the sale. */
    currency: string;
    /** Deducted commission, in the smallest unit of the currency of the commission. */
    deduction_cents: number;
    /** ISO 4217 code of the currency of the commission. */
    deduction_currency: string;
    /** Reason for the refund, as it was reported. */
    reason: string | null;
    /** When the refund was made. */
    refund_at: string;
  };
} | {
  /** Type of the event. */
  type: 'payout.created';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the payout. */
    payout_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Status after the event. */
    status: 'pending' | 'paid' | 'cancelled';
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** Reference of the payment. */
    reference: string | null;
  };
} | {
  /** Type of the event. */
  type: 'payout.paid';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the payout. */
    payout_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Status after the event. */
    status: 'pending' | 'paid' | 'cancelled';
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** Reference of the payment. */
    reference: string | null;
  };
} | {
  /** Type of the event. */
  type: 'payout.cancelled';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the payout. */
    payout_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Status after the event. */
    status: 'pending' | 'paid' | 'cancelled';
    /** Amount, in the smallest unit of the currency. */
    amount_cents: number;
    /** ISO 4217 code. */
    currency: string;
    /** Reference of the payment. */
    reference: string | null;
  };
} | {
  /** Type of the event. */
  type: 'partner.applied';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Name of the partner. */
    name: string;
    /** Email address of the partner. */
    email: string;
    /** Reason for the decision. The partner sees it too. */
    reason: string | null;
  };
} | {
  /** Type of the event. */
  type: 'partner.approved';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Name of the partner. */
    name: string;
    /** Email address of the partner. */
    email: string;
    /** Reason for the decision. The partner sees it too. */
    reason: string | null;
  };
} | {
  /** Type of the event. */
  type: 'partner.rejected';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the partner. */
    partner_id: number;
    /** Name of the partner. */
    name: string;
    /** Email address of the partner. */
    email: string;
    /** Reason for the decision. The partner sees it too. */
    reason: string | null;
  };
} | {
  /** Type of the event. */
  type: 'integration.failing';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Kind of the rejected call. */
    route: 'click' | 'lead' | 'sale' | 'refund';
    /** Error code of the reply. */
    code: string;
    /** Error message of the reply. */
    message: string;
    /** Id of the first rejected request of the day. */
    request_id: string;
    /** When the first call of the day was rejected. */
    rejected_at: string;
  };
} | {
  /** Type of the event. */
  type: 'webhook.test';
  /** When the event happened. */
  timestamp: string;
  /** Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer. */
  sequence: number;
  data: {
    /** Id of the program. */
    program_id: number;
    /** Id of the endpoint. */
    endpoint_id: number;
    /** Message for humans. */
    message: string;
  };
};

export type WebhookReplay = {
  /** Start of the time range of the events: a date or instant (ISO 8601, UTC unless it has a zone), inclusive. */
  from: string;
  /** End of the time range of the events: a date or instant (ISO 8601, UTC unless it has a zone), inclusive. */
  to: string;
  /** The deliveries to send again. Defaults to `failed`. */
  status?: 'failed' | 'succeeded' | 'all' | null | undefined;
};

export type Workspace = {
  /** Row id. */
  id: number;
  /** Display name. */
  name: string;
  /** Role of the member, which decides what the member may do. */
  role: 'owner' | 'admin' | 'member' | 'viewer';
  /** When the row was created. */
  created_at: string;
};

export type WorkspaceRequest = {
  /** Display name of the workspace. */
  name: string;
};

export type WorkspaceUpdateRequest = {
  /** New display name of the workspace. */
  name: string;
};
