"""Statistics, claims, tables, figures and pages made from finished runs."""
