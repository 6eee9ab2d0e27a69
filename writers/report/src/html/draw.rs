//! Drawing: stacked bars, columns and areas as SVG that takes the width it is given and the colours of
//! the page.

use super::Error;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of a chart in its own units: letters stay readable where a phone shows it smaller.
const WIDTH: u32 = 400;
/// Height of a bar without its label, and of each line of that.
const BAR: u32 = 21;
const LINE: u32 = 17;
/// Letters of a line of a label: as many of the usual ones as there is room for.
const LETTERS: usize = 46;
/// Height of charts without bars.
const HEIGHT: u32 = 220;
const FONT: (&str, u32) = ("sans-serif", 14);
/// Drawn in this colour is what the page draws in that of its text.
const INK: RGBColor = RGBColor(1, 2, 3);
const INK_IN_SVG: &str = "#010203";

/// One bar: its label, and lengths with their colours.
pub(super) struct Bar {
    pub label: String,
    pub segments: Vec<(f64, RGBColor)>,
}

/// Format of figures along an axis.
pub(super) type Figures<'a> = &'a dyn Fn(f64) -> String;

/// Bars from left to right, each under its label.
pub(super) fn bars(bars: &[Bar], end: Option<f64>, figures: Figures<'_>) -> Result<String, Error> {
    let length = |bar: &Bar| bar.segments.iter().map(|(length, _)| length).sum::<f64>();
    let longest = bars.iter().map(length).fold(0.0, f64::max);
    let end = end.unwrap_or(longest * 1.02).max(f64::MIN_POSITIVE);
    let labels: Vec<_> = bars.iter().map(|bar| lines(&bar.label)).collect();
    let height = |lines: &Vec<String>| BAR + LINE * lines.len() as u32;
    let all: u32 = labels.iter().map(height).sum();
    svg(all + 34, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(2)
            .margin_right(24)
            .margin_left(18)
            .x_label_area_size(24)
            .build_cartesian_2d(0.0..end, 0.0..f64::from(all))
            .map_err(failed)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels(4)
            .x_label_formatter(&|value| figures(*value))
            .label_style(FONT.into_font().color(&INK))
            .bold_line_style(INK.mix(0.15))
            .light_line_style(TRANSPARENT)
            .axis_style(INK.mix(0.5))
            .draw()
            .map_err(failed)?;
        let mut top = f64::from(all);
        for (bar, lines) in bars.iter().zip(labels) {
            let below = top - f64::from(LINE * lines.len() as u32);
            chart.draw_series(segments(bar, below)).map_err(failed)?;
            let style = FONT.into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Top));
            let heights = (0..).map(|line| top - 1.5 - f64::from(line * LINE));
            let texts = lines.into_iter().zip(heights);
            let texts = texts.map(|(line, height)| Text::new(line, (0.0, height), style.clone()));
            chart.draw_series(texts).map_err(failed)?;
            top = below - f64::from(BAR);
        }
        Ok(())
    })
}

/// A label in lines, of which none is cut: broken between words, and a word that is longer than a line
/// within it.
fn lines(label: &str) -> Vec<String> {
    let label = crate::text::harmless(label);
    let letters: Vec<char> = label.trim_end().chars().collect();
    let (mut lines, mut rest) = (Vec::new(), &letters[..]);
    while rest.len() > LETTERS {
        let space = rest[..=LETTERS].iter().rposition(|letter| *letter == ' ');
        let at = space.filter(|at| *at > 0).unwrap_or(LETTERS);
        lines.push(rest[..at].iter().collect());
        rest = &rest[at..];
        rest = rest.strip_prefix(&[' ']).unwrap_or(rest);
    }
    lines.push(rest.iter().collect());
    lines
}

fn segments(bar: &Bar, top: f64) -> Vec<Rectangle<(f64, f64)>> {
    let mut from = 0.0;
    let segments = bar.segments.iter().filter(|(length, _)| *length > 0.0);
    segments
        .map(|(length, colour)| {
            let to = from + length;
            let segment = Rectangle::new([(from, top - 1.0), (to, top - 18.5)], colour.filled());
            from = to;
            segment
        })
        .collect()
}

/// Columns side by side, each with the label of its left edge.
pub(super) fn columns(columns: &[(String, f64)], colour: RGBColor) -> Result<String, Error> {
    let highest = columns.iter().map(|(_, value)| *value).fold(0.0, f64::max).max(1.0);
    let count = columns.len();
    let label = |at: &f64| {
        let at = at.round() as usize;
        columns.get(at).map(|(label, _)| label.clone()).unwrap_or_default()
    };
    svg(HEIGHT, |area| {
        let mut chart = axes(area, count as f64, highest)?;
        mesh(&mut chart, count.clamp(2, 5), &|at| label(&at), &|value| {
            crate::text::count(value as u64)
        })?;
        let drawn = columns.iter().enumerate().map(|(at, (_, value))| {
            let at = at as f64;
            Rectangle::new([(at + 0.06, 0.0), (at + 0.94, *value)], colour.filled())
        });
        chart.draw_series(drawn).map_err(failed)?;
        Ok(())
    })
}

/// A curve over time with the area below it filled.
pub(super) fn area(
    points: &[(f64, f64)],
    end: f64,
    colour: RGBColor,
    times: Figures<'_>,
) -> Result<String, Error> {
    let highest = points.iter().map(|(_, value)| *value).fold(0.0, f64::max).max(1.0);
    svg(HEIGHT, |area| {
        let mut chart = axes(area, end, highest)?;
        mesh(&mut chart, 4, times, &|value| crate::text::count(value as u64))?;
        let curve = AreaSeries::new(points.iter().copied(), 0.0, colour.mix(0.35));
        chart.draw_series(curve.border_style(colour.stroke_width(2))).map_err(failed)?;
        Ok(())
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

fn axes<'a, 'b>(area: &'a Area<'b>, end: f64, highest: f64) -> Result<Chart<'a, 'b>, Error> {
    let end = end.max(f64::MIN_POSITIVE);
    ChartBuilder::on(area)
        .margin(6)
        .margin_right(24)
        .x_label_area_size(26)
        .y_label_area_size(46)
        .build_cartesian_2d(0.0..end, 0.0..highest * 1.05)
        .map_err(failed)
}

fn mesh(
    chart: &mut Chart<'_, '_>,
    labels: usize,
    x: Figures<'_>,
    y: Figures<'_>,
) -> Result<(), Error> {
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(labels)
        .y_labels(4)
        .x_label_formatter(&|value| x(*value))
        .y_label_formatter(&|value| y(*value))
        .label_style(FONT.into_font().color(&INK))
        .bold_line_style(INK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .axis_style(INK.mix(0.5))
        .draw()
        .map_err(failed)
}

/// A drawing of so many units of height.
fn svg(height: u32, draw: impl FnOnce(&Area<'_>) -> Result<(), Error>) -> Result<String, Error> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&area)?;
        area.present().map_err(failed)?;
    }
    Ok(text.replace(INK_IN_SVG, "currentColor"))
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_of_a_label_is_lost() {
        let long = "template_instantiation".repeat(5);
        for label in
            ["a", "", "for dynamic heat.c:7", &format!("parallel heat.cpp:42 ({long}) and more")]
        {
            let lines = lines(label);
            assert!(lines.iter().all(|line| line.chars().count() <= LETTERS), "{lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), label.replace(' ', ""));
        }
        assert_eq!(lines("a parallel region with a name of two whole lines").len(), 2);
    }
}
