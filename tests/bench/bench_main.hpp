// What each benchmark executable gives to the one main() of them all (bench_main.cpp).
#pragma once

// Registers its benchmarks, with what of the machine they are to be read beside.
void register_benchmarks();
