bisect {} --seed 3
bisect {} --seed 3 --search-only --passes "LegalizeOps(), CallTIRRewrite(), StaticPlanBlockMemory()"
bisect {} --seed 3 --passes "LegalizeOps()" --confine
bisect {} --seed 3 --passes "NoSuchPass()"
bisect ../../views/walks/reuse
bisect ../../views/walks/reuse --limit 0.5
bisect ../../views/walks/branches
bisect endless --seed 3 --time-limit 1 --search-only
bisect renamed --seed 3 --search-only
