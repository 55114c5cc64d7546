import { exploreFleets } from "./explore-fleets.ts";

exploreFleets("small");
