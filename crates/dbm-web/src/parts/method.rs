//! The method in a few sentences, and its estimator.

use leptos::prelude::*;

/// The explanation at the foot of the page.
#[component]
pub fn Method() -> impl IntoView {
    view! {
        <section class="method" aria-labelledby="method-title">
            <div class="ruled">
                <h2 id="method-title">"What happens in a gradient step"</h2>
            </div>
            <div class="method-grid">
                <div class="prose">
                    <p>
                        "A deep Boltzmann machine gives every joint state of its layers an energy. Learning lowers the energy of states that \
                         go with the data and raises that of states the model makes up: a positive phase with the data clamped, and a \
                         negative one that runs free. Both need averages over states that no one can enumerate, and the usual short \
                         chains get them wrong, with a bias."
                    </p>
                    <p>
                        "Here a chain begins in a "<b>"local mode"</b>", which a search finds in "<i>"T"</i>" sweeps, and takes one Gibbs sweep from \
                         it. A second chain starts from the same state one step behind; both see the same proposals until they meet, \
                         after "<i>"τ"</i>" steps. What they saw on the way is added as a correction, and the sum is right on average, "
                        <b>"exactly"</b>", however short the chains. The form’s other estimators are those it is compared with."
                    </p>
                </div>
                <div class="equation" role="group" aria-label="The estimator">
                    <Estimator />
                    <dl>
                        <dt>"f"</dt>
                        <dd>"minus the derivative of the energy by a parameter"</dd>
                        <dt>"x, y"</dt>
                        <dd>"the two chains; y runs one step behind"</dd>
                        <dt>"τ"</dt>
                        <dd>"meeting time: the first step at which they agree"</dd>
                        <dt>"T"</dt>
                        <dd>"sweeps of the search before x"<sub>"0"</sub></dd>
                    </dl>
                </div>
                <div class="prose aside">
                    <p>
                        <b>"What that means in practice. "</b>
                        "With hundreds of units a uniform proposal is practically never accepted: each run sees τ = 1, and the estimate is its \
                         first term. It is still unbiased, but the correction lives in events nobody will observe. Under about 25 \
                         units in all the chains do part and meet again, and you can watch them."
                    </p>
                    <p class="source">
                        "After Taniguchi, Suzuki, Iwasawa and Matsuo, End-to-end Training of Deep Boltzmann Machines by Unbiased Contrastive \
                         Divergence with Local Mode Initialization, ICML 2023. The share of masked examples, for completion, is an \
                         addition of ours."
                    </p>
                </div>
            </div>
        </section>
    }
}

/// `H = f(x_0) + sum_{t=1}^{tau-1} (f(x_t) - f(y_{t-1}))`
#[component]
fn Estimator() -> impl IntoView {
    view! {
        <math display="block" aria-label="H equals f of x 0, plus the sum for t from 1 to tau minus 1 of f of x t minus f of y t minus 1">
            <mrow>
                <mi>"H"</mi>
                <mo>"="</mo>
                <mi>"f"</mi>
                <mo stretchy="false">"("</mo>
                <msub>
                    <mi>"x"</mi>
                    <mn>"0"</mn>
                </msub>
                <mo stretchy="false">")"</mo>
                <mo>"+"</mo>
                <munderover>
                    <mo>"∑"</mo>
                    <mrow>
                        <mi>"t"</mi>
                        <mo>"="</mo>
                        <mn>"1"</mn>
                    </mrow>
                    <mrow>
                        <mi>"τ"</mi>
                        <mo>"−"</mo>
                        <mn>"1"</mn>
                    </mrow>
                </munderover>
                <mo stretchy="false">"["</mo>
                <mi>"f"</mi>
                <mo stretchy="false">"("</mo>
                <msub>
                    <mi>"x"</mi>
                    <mi>"t"</mi>
                </msub>
                <mo stretchy="false">")"</mo>
                <mo>"−"</mo>
                <mi>"f"</mi>
                <mo stretchy="false">"("</mo>
                <msub>
                    <mi>"y"</mi>
                    <mrow>
                        <mi>"t"</mi>
                        <mo>"−"</mo>
                        <mn>"1"</mn>
                    </mrow>
                </msub>
                <mo stretchy="false">")"</mo>
                <mo stretchy="false">"]"</mo>
            </mrow>
        </math>
    }
}
