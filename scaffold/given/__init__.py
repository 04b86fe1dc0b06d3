"""Code that earlier chapters built and that students are handed. Every lab imports from here."""
