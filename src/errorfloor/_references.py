"""Where methods, intervals and questions come from, each written once."""

PAPER = (
    'R. Ushio, T. Ishida and M. Sugiyama, "Practical estimation of the optimal classification '
    'error with soft labels and calibration", ICLR 2026.'
)
BALANCED_AND_AUC = (
    'R. Ushio, T. Ishida and M. Sugiyama, "Bayes-optimal BER and AUC: estimation and evaluation of '
    'estimators", 2026.'
)
SOFT_LABELS = (
    'T. Ishida et al., "Is the performance of my deep network too good to be true?", ICLR 2023, '
    "arXiv:2202.00395."
)
MANY_SOFT_LABELS = (
    'M. Jeong, M. Cardone and A. Dytso, "Demystifying the optimal performance of multi-class '
    'classification", NeurIPS 2023.'
)
ISOTONIC = (
    'B. Zadrozny and C. Elkan, "Transforming classifier scores into accurate multiclass '
    'probability estimates", KDD 2002.'
)
BINNING = (
    'B. Zadrozny and C. Elkan, "Obtaining calibrated probability estimates from decision trees '
    'and naive Bayesian classifiers", ICML 2001.'
)
BETA = 'M. Kull, T. Silva Filho and P. Flach, "Beta calibration", AISTATS 2017.'
PLATT = 'J. Platt, "Probabilistic outputs for support vector machines", 1999.'
MIXTURE = (
    'J. Kiefer and J. Wolfowitz, "Consistency of the maximum likelihood estimator in the presence '
    'of infinitely many incidental parameters", Ann. Math. Statist. 27, 1956.'
)
PAIRED = (
    'D. Bonett and R. Price, "Adjusted Wald confidence interval for a difference of binomial '
    'proportions based on paired data", Journal of Educational and Behavioral Statistics 37, 2012.'
)
HOLM = (
    'S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of '
    "Statistics 6, 1979."
)
BOOTSTRAP = 'B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993.'
BINOMIAL = (
    'C. Clopper and E. Pearson, "The use of confidence or fiducial limits illustrated in the case '
    'of the binomial", Biometrika 26, 1934.'
)
WEIGHTED_COUNTS = (
    'M. Fay and E. Feuer, "Confidence intervals for directly standardized rates: a method based '
    'on the gamma distribution", Statistics in Medicine 16, 1997.'
)
BETTING = (
    'I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", '
    "J. R. Stat. Soc. B 86, 2024."
)
RANKING = (
    'D. Bamber, "The area above the ordinal dominance graph and the area below the receiver '
    'operating characteristic graph", J. Math. Psychol. 12, 1975.'
)
PRECISION = (
    'K. Boyd, K. Eng and C. D. Page, "Area under the precision-recall curve: point estimates and '
    'confidence intervals", ECML PKDD 2013.'
)
PLACEMENTS = (
    'E. DeLong, D. DeLong and D. Clarke-Pearson, "Comparing the areas under two or more correlated '
    'receiver operating characteristic curves", Biometrics 44, 1988.'
)
WILSON = (
    'E. Wilson, "Probable inference, the law of succession, and statistical inference", '
    "J. Am. Stat. Assoc. 22, 1927."
)
REJECTION = (
    'C. Chow, "On optimum recognition error and reject tradeoff", IEEE Trans. Inf. Theory 16, 1970.'
)
HOEFFDING = (
    'W. Hoeffding, "Probability inequalities for sums of bounded random variables", '
    "J. Am. Stat. Assoc. 58, 1963."
)
VOTE_LIMITS = (
    'N. Ignatiadis and S. Wager, "Confidence intervals for nonparametric empirical Bayes '
    'analysis", J. Am. Stat. Assoc. 117, 2022.'
)
DIFFERENCE = (
    'G. Zou and A. Donner, "Construction of confidence limits about effect measures", '
    "Statistics in Medicine 27, 2008."
)
LEAVE_ONE_OUT = (
    'B. Efron and C. Stein, "The jackknife estimate of variance", Ann. Statist. 9, 1981.'
)
JACKKNIFE = (
    'J. Bell and D. McCaffrey, "Bias reduction in standard errors for linear regression with '
    'multi-stage samples", Survey Methodology 28, 2002.'
)
POWERED = (
    'A. Angelopoulos, J. Duchi and T. Zrnic, "PPI++: efficient prediction-powered inference", '
    "2023, arXiv:2311.01453."
)
CROSS_POWERED = (
    'T. Zrnic and E. Candes, "Cross-prediction-powered inference", PNAS 121, 2024, '
    "arXiv:2309.16598."
)
TEMPERATURE = (
    'C. Guo, G. Pleiss, Y. Sun and K. Weinberger, "On calibration of modern neural networks", '
    "ICML 2017."
)
VECTOR = (
    'A. Alexandari, A. Kundaje and A. Shrikumar, "Maximum likelihood with bias-corrected '
    'calibration is hard-to-beat at label shift adaptation", ICML 2020.'
)
TOP_LABEL = (
    'C. Gupta and A. Ramdas, "Top-label calibration and multiclass-to-binary reductions", '
    "ICLR 2022."
)
