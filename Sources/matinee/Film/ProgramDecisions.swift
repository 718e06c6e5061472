import Screening

/// The decisions of this program, in which a server that a film needs is refused with an ``OriginRefusal``.
typealias Decisions = ScreeningMachine<OriginRefusal>
typealias FilmDecisions = FilmMachine<OriginRefusal>
typealias ScreeningDirective = Decisions.Directive
