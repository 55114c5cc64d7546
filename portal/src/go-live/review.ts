import type { Routes } from "../generated/accounts.ts";

export type Review = Routes["GET /accounts/review"]["response"];
