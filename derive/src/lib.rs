//! Structures as parameters, arguments and results of programs: the macros of catadiff's feature `derive`.
//!
//! Law: a structure is its fields, in order, and each is called by its name; what is no structure is refused where it is written
//! (tests/array/nests.rs).
//!
//! What each macro does stands where catadiff exports it: examples here would have catadiff built for the compiler as well, to be tested.

#![expect(missing_docs, reason = "documented where they are exported")]

mod parts;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DeriveInput, Error, Result, parse_macro_input};

use parts::Parts;

#[proc_macro_derive(Nest, attributes(nest))]
pub fn nest(item: TokenStream) -> TokenStream {
    expand(parse_macro_input!(item), nested)
}

#[proc_macro_derive(Handle)]
pub fn handle(item: TokenStream) -> TokenStream {
    expand(parse_macro_input!(item), handled)
}

#[proc_macro_derive(Structure)]
pub fn structure(item: TokenStream) -> TokenStream {
    expand(parse_macro_input!(item), structured)
}

fn expand(item: DeriveInput, how: fn(&Parts) -> Result<Tokens>) -> TokenStream {
    Parts::of(item).and_then(|parts| how(&parts)).unwrap_or_else(Error::into_compile_error).into()
}

fn nested(parts: &Parts) -> Result<Tokens> {
    let (handles, values) = parts.sides()?;
    let handles = handles.then(|| as_handles(parts));
    let values = values.then(|| as_values(parts));
    Ok(quote! { #handles #values })
}

fn as_handles(parts: &Parts) -> Tokens {
    let trace = quote!(::catadiff::array::trace);
    let (members, names) = (&parts.members, &parts.names);
    let made = parts.made(names.iter().map(|name| quote!(from.part(#name))));
    let header = |of: Tokens| parts.header(&quote!(#trace::TraceInput), &of, false);
    let (input, output) = (header(quote!(#trace::TraceInput)), header(quote!(#trace::TraceOutput)));
    quote! {
        #[automatically_derived]
        #input {
            fn input(from: &mut #trace::Inputs<'_>) -> Self {
                #made
            }
            fn add_to(self, to: &mut #trace::Outputs) {
                #(#trace::TraceInput::add_to(self.#members, to);)*
            }
        }

        #[automatically_derived]
        #output {
            fn output(self, to: &mut #trace::Outputs) {
                #trace::TraceInput::add_to(self, to);
            }
        }
    }
}

fn as_values(parts: &Parts) -> Tokens {
    let interpret = quote!(::catadiff::interpret);
    let (members, types) = (&parts.members, &parts.types);
    let carrier = parts.carrier();
    let (to, from) = (quote!(#interpret::ToValues<#carrier>), quote!(#interpret::FromValues<#carrier>));
    let taken = parts.made(members.iter().map(|member| {
        quote!(#interpret::FromValues::take_from(values, ::core::option::Option::map(like, |like| &like.#member))?)
    }));
    let (to_header, from_header) = (parts.header(&to, &to, true), parts.header(&from, &from, true));
    quote! {
        #[automatically_derived]
        #to_header {
            fn add_to(&self, values: &mut ::std::vec::Vec<#interpret::Value<#carrier>>) -> ::catadiff::Result<()> {
                #(#interpret::ToValues::add_to(&self.#members, values)?;)*
                ::core::result::Result::Ok(())
            }
            fn add_counts(&self, counts: &mut ::std::vec::Vec<usize>) {
                #(<#types as #to>::add_counts(&self.#members, counts);)*
            }
        }

        #[automatically_derived]
        #from_header {
            const COUNT: ::core::option::Option<usize> = #interpret::total(&[#(<#types as #from>::COUNT),*]);
            fn take_from(
                values: &mut #interpret::Results<#carrier>,
                like: ::core::option::Option<&Self>,
            ) -> ::catadiff::Result<Self> {
                ::core::result::Result::Ok(#taken)
            }
        }
    }
}

fn handled(parts: &Parts) -> Result<Tokens> {
    let trace = quote!(::catadiff::array::trace);
    let (members, types, names) = (&parts.members, &parts.types, &parts.names);
    // Pairs of pairs, since there are ids of pairs.
    let nest = |all: Vec<Tokens>| all.into_iter().rev().reduce(|rest, one| quote!((#one, #rest)));
    let Some(ids) = nest(types.iter().map(|of| quote!(<#of as #trace::Handle>::Ids)).collect()) else {
        return Err(Error::new(parts.name.span(), "a handle has a field at least"));
    };
    let own = nest(members.iter().map(|member| quote!(#trace::Handle::ids(self.#member))).collect());
    let locals = parts.locals();
    let pattern = nest(locals.iter().map(|local| quote!(#local)).collect());
    let made = parts.made(locals.iter().map(|local| quote!(#trace::Handle::of(#local))));
    let header = |of: Tokens| parts.header(&quote!(#trace::Handle), &of, false);
    let traits = [quote!(IntoHandle), quote!(Handle), quote!(TraceInput), quote!(TraceOutput)];
    let [into, handle, input, output] = traits.map(|of| header(quote!(#trace::#of)));
    Ok(quote! {
        #[automatically_derived]
        #into {
            type Handle = Self;
            fn into_handle(self) -> Self {
                self
            }
        }

        #[automatically_derived]
        #handle {
            type Ids = #ids;
            fn types(visit: &mut dyn FnMut(::catadiff::array::Type)) {
                #(<#types as #trace::Handle>::types(visit);)*
            }
            fn names(called: &str, visit: &mut dyn FnMut(::std::string::String)) {
                #(<#types as #trace::Handle>::names(&::std::format!("{called}.{}", #names), visit);)*
            }
            fn ids(self) -> Self::Ids {
                #own
            }
            fn of(ids: Self::Ids) -> Self {
                let #pattern = ids;
                #made
            }
        }

        #[automatically_derived]
        #input {
            fn input(from: &mut #trace::Inputs<'_>) -> Self {
                from.handle()
            }
            fn add_to(self, to: &mut #trace::Outputs) {
                to.handle(self);
            }
        }

        #[automatically_derived]
        #output {
            fn output(self, to: &mut #trace::Outputs) {
                to.handle(self);
            }
        }
    })
}

fn structured(parts: &Parts) -> Result<Tokens> {
    let derivative = quote!(::catadiff::derivative);
    let (name, members) = (&parts.name, &parts.members);
    let scalar = parts.one_parameter("the numbers of a structure are of its one type parameter")?;
    let made = parts.made(members.iter().map(|member| quote!(#derivative::Structure::map_numbers(&self.#member, f))));
    Ok(quote! {
        #[automatically_derived]
        impl<#scalar: #derivative::Base> #derivative::Structure for #name<#scalar> {
            type Scalar = #scalar;
            type Of<Other> = #name<Other>;

            fn map_numbers<Other>(&self, f: &mut impl FnMut(#scalar) -> Other) -> #name<Other> {
                #made
            }
        }
    })
}
