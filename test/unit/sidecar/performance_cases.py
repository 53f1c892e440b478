"""Writes performance-cases.json: calibration error (Naeini et al., 2015), AUC by counting pairs, accuracy, accuracy by
CBPE (NannyML) of calibrated predictions, and isotonic regression by its max-min formula. Needs no packages."""
import random, json
from fractions import Fraction as F
random.seed(7)
def case(n, f, quant):
    p=[round(random.random(),quant) for _ in range(n)]
    y=[1 if random.random()<f(x) else 0 for x in p]
    bins={}
    for a,b in zip(p,y):
        k=0
        for i in range(10):
            if a>i/10: k=i
        bins.setdefault(k,[]).append((a,b))
    ece=sum(len(v)/n*abs(sum(a for a,_ in v)/len(v)-sum(b for _,b in v)/len(v)) for v in bins.values())
    pos=[a for a,b in zip(p,y) if b]; neg=[a for a,b in zip(p,y) if not b]
    auc=sum(1 if a>b else .5 if a==b else 0 for a in pos for b in neg)/(len(pos)*len(neg)) if pos and neg else None
    acc=sum((a>=.5)==(b==1) for a,b in zip(p,y))/n
    cbpe=sum(max(a,1-a) for a in p)/n
    return dict(predictions=p,outcomes=y,calibrationError=ece,auc=auc,accuracy=acc,estimatedAccuracy=cbpe)
def isotonic(p,y):
    # quadratic-time max-min formula: fit_i = max_{j<=i} min_{k>=i} mean(j..k) over distinct predictions
    d=sorted(set(p)); s=[(sum(b for a,b in zip(p,y) if a==v),sum(1 for a in p if a==v)) for v in d]
    fit=[]
    for i in range(len(d)):
        best=None
        for j in range(i+1):
            m=min(sum(t[0] for t in s[j:k+1])/sum(t[1] for t in s[j:k+1]) for k in range(i,len(d)))
            best=m if best is None or m>best else best
        fit.append(best)
    return d,fit
cases=[case(40,lambda x:x,2),case(60,lambda x:x*x,1),case(25,lambda x:1-x,3),case(50,lambda x:.3,2)]
p=[round(random.random(),1) for _ in range(400)]; y=[1 if random.random()<x**2 else 0 for x in p]
d,fit=isotonic(p,y)
json.dump(dict(cases=cases,calibration=dict(predictions=p,outcomes=y,at=d,fitted=fit)),open('performance-cases.json', 'w'))
